// Says to a service what a task does before it comes to the barrier there, so that the others see why it is late.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/stage.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// One process of a task. A handle: copies are the same process.
class StageReporter {
 public:
  /// For `own` of `spec`, with the run's name `run` as BarrierOptions::run() of the barrier to which the task comes. Errors:
  /// invalid_argument (`own` is no task of the cluster, or as try_barrier() checks the cluster; the configuration of the servers is wrong),
  /// failed_precondition (no server is configured), limit_exceeded (more tasks than a service keeps a roll of).
  static Result<StageReporter> make(const Runtime& runtime, const ClusterSpec& spec, const LaunchedTask& own, const std::string& run);

  /// Says all stages of the task, in order, to each server of the service, once. The service shows the last one that is not over for as
  /// long as this is repeated each pause(). May suspend; cancellable. Errors: invalid_argument (a name that check_stage_name() refuses);
  /// those of the servers where none has taken it.
  asio::awaitable<Result<void>> try_report(std::vector<StageSpan> stages, CallOptions options = {}) const;

  /// After which time a stage that goes on is said again: 1 to 10 s, longer for larger clusters.
  Duration pause() const noexcept;

 private:
  class State;
  explicit StageReporter(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace rollcall
