// Follows a cluster: reports the members that join, leave and change, and announced events.
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
  /// The meaning of `cluster_ready` and `cluster_broken`. Members are not contacted: `reachable` and `devices` count as `endpoints`.
  WatchOptions& until(Readiness v) { until_ = v; return *this; }
  /// The number of members that the cluster must have to be ready; 0: the number that the topology gives, if it
  /// gives one, and at least the number that it had when it was ready before.
  WatchOptions& members(int v) { members_ = v; return *this; }
  /// Whether notices about this machine are requested from the metadata server. Default: if it answers, or the environment names one.
  WatchOptions& machine_notices(bool v) { machine_notices_ = v; return *this; }
  /// For each request to the service: retries.
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

/// A cluster that is being followed, from watch() until close() or destruction. Changes that a slow reader has not taken are merged: memory
/// is bounded by the number of members, and next() returns the difference between the reader's last state and the current one.
class ClusterWatch {
 public:
  virtual ~ClusterWatch() = default;
  /// The next change; first a `member_joined` for every member that is there. Suspends until there is a change. One reader at a time.
  /// Cancellable: the watch goes on, and no change is lost. Errors (final): failures that are not transient; cancelled after close().
  virtual asio::awaitable<Result<ClusterChange>> try_next() = 0;
  asio::awaitable<ClusterChange> next();
  /// As of the last change that was taken.
  virtual const ClusterStatus& status() const = 0;
  /// Number of changes that are part of status() but were not taken yet: they were seen in the same poll as the last one taken.
  virtual std::size_t untaken() const { return 0; }
  /// Ends it; idempotent.
  virtual void close() = 0;
};

/// Starts to follow. Polls, watches and long polls as wait_until_ready() does; interrupted streams are resumed, lists are read again when
/// necessary, and stalled streams are detected. Does not suspend. The Runtime's executor must run for anything to happen.
std::shared_ptr<ClusterWatch> watch(std::shared_ptr<ClusterResolver> resolver, WatchOptions options = {});

}  // namespace rollcall
