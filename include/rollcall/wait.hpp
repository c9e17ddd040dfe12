// Waiting until a cluster is ready, and learning meanwhile which members are missing.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/readiness.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/wait_progress.hpp"

namespace rollcall {

class WaitOptions {
 public:
  WaitOptions() {}
  // clang-format off
  /// For the whole wait. Default 30 min; must be positive.
  WaitOptions& timeout(Duration v) { timeout_ = v; return *this; }
  /// How long it may be queued for capacity, and how long it may take from then on. Default: only timeout() counts.
  WaitOptions& queue_timeout(Duration v) { queue_timeout_ = v; return *this; }
  WaitOptions& provision_timeout(Duration v) { provision_timeout_ = v; return *this; }
  /// How many members the cluster must have at least; 0: what the topology says, if it does.
  WaitOptions& members(int v) { members_ = v; return *this; }
  /// Wait for a cluster that does not exist yet. Default: that is a failure.
  WaitOptions& for_existence(bool v) { for_existence_ = v; return *this; }
  /// Wait for members that are stopped, since the user will start them. Default: a stopped member is a failure.
  WaitOptions& for_start(bool v) { for_start_ = v; return *this; }
  /// Wait for members that are lost, since somebody will make them anew. Default: a lost member is a failure. One that has ended with
  /// success is a failure whatever is said here: nobody makes it anew. What has been seen may also be gone in between.
  WaitOptions& for_replacement(bool v) { for_replacement_ = v; return *this; }
  /// Elastic jobs: be content with so many members that are ready, when no other has become ready for last_call(). Only those are in the
  /// status then, with the places that they have. 0: all members must be ready.
  WaitOptions& min_members(int v) { min_members_ = v; return *this; }
  /// Default 30 s. Source: torchelastic's last_call_timeout.
  WaitOptions& last_call(Duration v) { last_call_ = v; return *this; }
  /// True: a pod that no node has room for is a failure. Default: wait for it, since an autoscaler may make room.
  WaitOptions& fail_if_unschedulable(bool v) { fail_if_unschedulable_ = v; return *this; }
  /// Called on the Runtime's executor at every change, and once at the start; must return quickly and not throw.
  WaitOptions& on_progress(std::function<void(const WaitProgress&)> v) { on_progress_ = std::move(v); return *this; }
  /// Of each question to the service: time-out (at most; default 30 s) and retries.
  WaitOptions& request_options(CallOptions v) { request_options_ = std::move(v); return *this; }
  // clang-format on

  Duration timeout() const { return timeout_; }
  const std::optional<Duration>& queue_timeout() const { return queue_timeout_; }
  const std::optional<Duration>& provision_timeout() const { return provision_timeout_; }
  int members() const { return members_; }
  bool for_existence() const { return for_existence_; }
  bool for_start() const { return for_start_; }
  bool for_replacement() const { return for_replacement_; }
  int min_members() const { return min_members_; }
  Duration last_call() const { return last_call_; }
  bool fail_if_unschedulable() const { return fail_if_unschedulable_; }
  const std::function<void(const WaitProgress&)>& on_progress() const { return on_progress_; }
  const CallOptions& request_options() const { return request_options_; }

 private:
  Duration timeout_ = std::chrono::minutes(30);
  std::optional<Duration> queue_timeout_;
  std::optional<Duration> provision_timeout_;
  int members_ = 0;
  bool for_existence_ = false;
  bool for_start_ = false;
  bool for_replacement_ = false;
  int min_members_ = 0;
  Duration last_call_ = std::chrono::seconds(30);
  bool fail_if_unschedulable_ = false;
  std::function<void(const WaitProgress&)> on_progress_;
  CallOptions request_options_;
};

/// Suspends until the cluster is ready in every way of `until`, and returns its status then. Cancellable. A question that
/// fails in a way that may pass (no connection, 5xx, 429) is asked again at the next poll; polls are 2 s apart, then 1.5 times
/// as long up to 30 s, each by up to a fifth longer or shorter, and 2 s again after each change; while it is queued 30 s to
/// 5 min. Kubernetes tells of changes itself (a watch). Errors: not_ready, naming what can never be ready and why;
/// deadline_exceeded, naming every missing member and its last state; not_found, permission_denied and whatever else asking again
/// cannot mend [facts: tpu-states, queued-states, k8s-waiting-reasons, poll-jitter].
asio::awaitable<ClusterStatus> wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until = usually_ready,
                                                WaitOptions options = {});
/// The same; returns the Failure instead of throwing.
asio::awaitable<Result<ClusterStatus>> try_wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until = usually_ready,
                                                            WaitOptions options = {});

}  // namespace rollcall
