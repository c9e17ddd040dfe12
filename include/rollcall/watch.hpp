// Following a cluster: which members join, leave and change, and what is announced.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "rollcall/cluster_change.hpp"
#include "rollcall/wait.hpp"

namespace rollcall {

class WatchOptions {
 public:
  WatchOptions() {}
  // clang-format off
  /// What `cluster_ready` and `cluster_broken` mean. Members are not asked themselves: `reachable` and `devices` count as `endpoints`.
  WatchOptions& until(Readiness v) { until_ = v; return *this; }
  /// How many members the cluster must have to be ready; 0: what the topology says, if it does, and as many as it had when it was
  /// ready before.
  WatchOptions& members(int v) { members_ = v; return *this; }
  /// Whether notices about this machine are asked of the metadata server. Default: if one answers, or the environment names one.
  WatchOptions& machine_notices(bool v) { machine_notices_ = v; return *this; }
  /// Of each question to the service: retries.
  WatchOptions& request_options(CallOptions v) { request_options_ = std::move(v); return *this; }
  // clang-format on

  Readiness until() const { return until_; }
  int members() const { return members_; }
  bool machine_notices() const { return machine_notices_; }
  const CallOptions& request_options() const { return request_options_; }

 private:
  Readiness until_ = usually_ready;
  int members_ = 0;
  bool machine_notices_ = true;
  CallOptions request_options_;
};

/// A cluster that is being followed, from watch() until close() or destruction. What a slow reader has not taken is put together:
/// memory is bounded by the number of members, and next() tells how what the reader knows differs from what is.
class ClusterWatch {
 public:
  virtual ~ClusterWatch() = default;
  /// The next change; first a `member_joined` for every member that is there. Suspends until there is a change. One reader at a time.
  /// Cancellable: the watch goes on, and no change is lost. Errors (final): what asking again cannot mend; cancelled after close().
  virtual asio::awaitable<Result<ClusterChange>> try_next() = 0;
  asio::awaitable<ClusterChange> next();
  /// As of the last change that was taken.
  virtual const ClusterStatus& status() const = 0;
  /// How many changes that lie before status() are still to be taken: they were seen together with the last one.
  virtual std::size_t untaken() const { return 0; }
  /// Ends it; idempotent.
  virtual void close() = 0;
};

/// Begins to follow. Polls, watches and long polls as wait_until_ready() does; streams that break off are resumed, lists renewed when
/// they must be, and streams that are stuck noticed. Does not suspend. The Runtime's executor must run for anything to happen.
std::shared_ptr<ClusterWatch> watch(std::shared_ptr<ClusterResolver> resolver, WatchOptions options = {});

}  // namespace rollcall
