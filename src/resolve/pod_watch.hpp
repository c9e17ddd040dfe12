// One selector's pods, kept up to date by a watch.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "parse/watch_event.hpp"
#include "resolve/kubernetes_pods.hpp"
#include "resolve/pod_order.hpp"
#include "rollcall/status_feed.hpp"

namespace rollcall {

class PodWatch {
 public:
  /// `on_change` is called after every piece of news. All references must outlive the watch.
  PodWatch(Call& call, const KubernetesServer& server, const KubernetesOptions& options, std::string name_space, std::string selector,
           StatusFeed& feed, std::function<void()> on_change);

  /// Lists, then watches from the list's version; goes on where it was after a stream has ended, and lists anew when that version is too
  /// old, when streams keep ending at once, or when one is stuck. Waits longer and longer while things fail. Ends only with a failure that
  /// asking again cannot mend. Source: wire-facts E.3, E.9.
  asio::awaitable<Result<void>> run();

  /// True after the first list.
  bool is_known() const noexcept { return is_known_; }
  PodPointers pods() const;
  /// Why it cannot be told at present, if so.
  const std::optional<Failure>& trouble() const noexcept { return trouble_; }

 private:
  enum class Next { watch_on, list_anew };

  asio::awaitable<Result<void>> list();
  asio::awaitable<Result<Next>> watch();
  asio::awaitable<Result<void>> watch_pods(Call& inner, std::chrono::seconds time);
  Result<void> take(const WatchEvent& event);
  void tell_trouble(const Failure& failure);
  void end_trouble();
  /// What becomes of a failure: waits and goes on, or hands it back.
  asio::awaitable<Result<void>> after(Failure failure, int& failures);
  asio::awaitable<Result<void>> pause(int failures, Duration at_least);

  Call& call_;
  const KubernetesServer& server_;
  const KubernetesOptions& options_;
  std::string name_space_;
  std::string selector_;
  StatusFeed& feed_;
  std::function<void()> on_change_;
  std::map<std::pair<std::string, std::string>, FoundPod> pods_;  // by namespace and name
  std::string version_;
  bool is_known_ = false;
  std::optional<GoogleError> stream_error_;
  std::optional<Failure> trouble_;
  std::size_t events_ = 0;  // of the stream that is open
  // In a row.
  int list_failures_ = 0;
  int stream_failures_ = 0;  // streams that brought nothing, however they ended
  int senseless_ = 0;
};

}  // namespace rollcall
