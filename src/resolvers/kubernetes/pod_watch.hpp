// One selector's pods, kept up to date by a watch.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readiness/rules/poll_pace.hpp"
#include "readiness/rules/what_ends.hpp"
#include "resolvers/kubernetes/kubernetes_pods.hpp"
#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/wire/watch_event.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class PodWatch {
 public:
  /// `on_change` is called after every change. All references must outlive the watch.
  PodWatch(Call& call, const PodScope& scope, std::string selector, StatusObserver& observer, std::function<void()> on_change);

  /// Lists, then watches from the list's version, and continues where a stream ended. Lists again when that version is too old, when
  /// streams keep ending at once, when one is stuck, or when a watch fails in a way that a new attempt does not cure. Backs off while
  /// requests fail, and leaves a second between the starts of two streams. If watching is refused or fails permanently, or max_unconfirmed
  /// streams in a row are malformed, but listing works, it lists repeatedly by PollPace. Ends only with a failure of a list that
  /// PollPatience treats as final, or with a stream that exceeds a limit [facts: k8s-watch, k8s-watch-servers].
  asio::awaitable<Result<void>> run();

  /// True after the first list.
  bool is_known() const noexcept { return is_known_; }
  /// The current pods, in the order of namespaces and names. The pods of the result do not change while the watch continues.
  std::vector<std::shared_ptr<const FoundPod>> pods() const;
  /// The last time at which the pods were confirmed, by a list or an event. Bookmarks are events.
  SteadyTime seen_at() const noexcept { return seen_at_; }
  /// The reason why the pods are not known at present, if so.
  const std::optional<Failure>& trouble() const noexcept { return trouble_; }

 private:
  enum class Next { watch_on, relist };
  /// By namespace and name, which point into the pod.
  using Pods = std::map<std::pair<std::string_view, std::string_view>, std::shared_ptr<const FoundPod>>;

  asio::awaitable<Result<void>> list();
  asio::awaitable<Result<Next>> watch();
  asio::awaitable<Result<void>> watch_pods(Call& inner, std::chrono::seconds time);
  Result<void> take(WatchEvent event);
  static bool keep(Pods& pods, MemoryShare& memory, FoundPod pod);
  static void drop(Pods& pods, MemoryShare& memory, Pods::iterator pod);
  void take_refusal(const Failure& failure);
  void report_trouble(const Failure& failure);
  void end_trouble();
  /// Reports a failure and waits. Errors: cancelled.
  asio::awaitable<Result<void>> after(Failure failure, int& failures);
  asio::awaitable<Result<void>> pause(int failures, Duration at_least);

  Call& call_;
  const PodScope& scope_;
  std::string selector_;
  StatusObserver& observer_;
  std::function<void()> on_change_;
  Pods pods_;
  MemoryShare memory_;  // of the pods
  std::string version_;
  SteadyTime seen_at_{};
  bool is_known_ = false;
  bool has_changed_ = false;  // by the last list; used only if the watch is refused
  bool is_refused_ = false;  // the watch is refused, lists are not
  PollPace pace_;  // of the lists while the watch is refused
  std::optional<SteadyTime> opened_at_;  // the start of the last stream
  std::optional<GoogleError> stream_error_;
  std::optional<Failure> trouble_;
  std::size_t events_ = 0;  // of the open stream
  // Numbers of failures in a row.
  int list_failures_ = 0;
  int stream_failures_ = 0;  // streams without events, regardless of how they ended
  int refused_streams_ = 0;  // that failed with a permanent error, although lists did not
  int malformed_ = 0;
  PollPatience patience_;  // with lists that fail
};

}  // namespace rollcall
