// Waits until a cluster is ready, and reports which members are missing meanwhile.
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
  /// The limit of the time in the queue for capacity, and the limit of the time after that. Default: only timeout() applies.
  WaitOptions& queue_timeout(Duration v) { queue_timeout_ = v; return *this; }
  WaitOptions& provision_timeout(Duration v) { provision_timeout_ = v; return *this; }
  /// The minimum number of members of the cluster; 0: the number that the topology gives, if it gives one.
  WaitOptions& members(int v) { members_ = v; return *this; }
  /// Wait for a cluster that does not exist yet. Default: that is a failure.
  WaitOptions& for_existence(bool v) { for_existence_ = v; return *this; }
  /// Wait for members that are stopped, because the user will start them. Default: a stopped member is a failure.
  WaitOptions& for_start(bool v) { for_start_ = v; return *this; }
  /// Wait for members that are lost, because a controller or the user will recreate them. Default: a lost member is a failure. A member
  /// that has ended with success is always a failure: no controller recreates it. With this option, a cluster or member that was seen
  /// before may also be missing for a while.
  WaitOptions& for_replacement(bool v) { for_replacement_ = v; return *this; }
  /// Elastic jobs: accept this number of ready members, if no further member has become ready for last_call(). The status then contains
  /// only these, with their places. 0: all members must be ready.
  WaitOptions& min_members(int v) { min_members_ = v; return *this; }
  /// Default 30 s. Source: torchelastic's last_call_timeout.
  WaitOptions& last_call(Duration v) { last_call_ = v; return *this; }
  /// True: a pod that no node has room for is a failure. Default: wait for it, since an autoscaler may add a node.
  WaitOptions& fail_if_unschedulable(bool v) { fail_if_unschedulable_ = v; return *this; }
  /// Called on the Runtime's executor at every change, and once at the start; must return quickly and not throw.
  WaitOptions& on_progress(std::function<void(const WaitProgress&)> v) { on_progress_ = std::move(v); return *this; }
  /// For each request to the service: retries. Their time-out does not count: a request has 30 s at most.
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

/// Suspends until the cluster is ready in every way of `until`, and returns its status then. Cancellable. A poll with a transient failure
/// (no connection, 5xx, 429) is followed by the next poll; polls are 2 s apart, then 1.5 times as long up to 30 s, each by up to a fifth
/// longer or shorter, and 2 s again after each change; while it is queued 30 s to 5 min. Kubernetes reports changes by a watch. Errors:
/// not_ready, naming the members that can never be ready and why; deadline_exceeded, naming every missing member and its last state;
/// not_found, permission_denied and every other failure that is not transient
/// [facts: tpu-states, queued-states, k8s-waiting-reasons, poll-jitter].
asio::awaitable<ClusterStatus> wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until = usually_ready,
                                                WaitOptions options = {});
/// The same; returns the Failure instead of throwing.
asio::awaitable<Result<ClusterStatus>> try_wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until = usually_ready,
                                                            WaitOptions options = {});

}  // namespace rollcall
