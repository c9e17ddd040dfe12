// A barrier before the start: no task of a cluster starts its program before all of them are there, and those that are missing are named.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rollcall/barrier_progress.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/stage.hpp"

namespace rollcall {

/// All tasks are at the barrier, and start now.
class BarrierRelease {
 public:
  BarrierRelease() {}
  std::int64_t generation = 1;  ///< the number of this start, the same for all tasks
};

class BarrierOptions {
 public:
  BarrierOptions() {}
  // clang-format off
  /// The port at which the tasks that keep the roll listen. 0: each at the port of its address; or the Runtime's service, if it has one
  /// (ServerOptions), keeps the roll.
  BarrierOptions& port(std::uint16_t p) { port_ = p; return *this; }
  /// Which run of the job this is, such as the number of a Slurm job: tasks of another run are not let in. The same for all tasks.
  BarrierOptions& run(std::string name) { run_ = std::move(name); return *this; }
  /// The least number that the start may have, such as one more than that of this task's last start. The start has the largest that a task
  /// names.
  BarrierOptions& generation(std::int64_t least) { generation_ = least; return *this; }
  /// What this process did before, so that others learn how long that took; of more than max_stages the last ones. Names must be such as
  /// check_stage_name() accepts.
  BarrierOptions& stages(std::vector<StageSpan> passed) { stages_ = std::move(passed); return *this; }
  /// The file whose first line, of 16 bytes at least, is the secret that all tasks share, and prove to each other. Empty: the one that
  /// ROLLCALL_SECRET_FILE names, if any. With a secret the tasks meet at themselves, not at a service.
  BarrierOptions& secret_file(std::string path) { secret_file_ = std::move(path); return *this; }
  /// Called on the Runtime's executor at each change, and every 30 s while a missing task says what it does.
  BarrierOptions& on_progress(std::function<void(const BarrierProgress&)> f) { on_progress_ = std::move(f); return *this; }
  /// Its time-out is how long the others are waited for.
  BarrierOptions& request_options(CallOptions o) { request_options_ = std::move(o); return *this; }
  // clang-format on
  std::uint16_t port() const noexcept { return port_; }
  const std::string& run() const noexcept { return run_; }
  std::int64_t generation() const noexcept { return generation_; }
  const std::vector<StageSpan>& stages() const noexcept { return stages_; }
  const std::string& secret_file() const noexcept { return secret_file_; }
  const std::function<void(const BarrierProgress&)>& on_progress() const noexcept { return on_progress_; }
  const CallOptions& request_options() const noexcept { return request_options_; }

 private:
  std::uint16_t port_ = 0;
  std::string run_;
  std::int64_t generation_ = 1;
  std::vector<StageSpan> stages_;
  std::string secret_file_;
  std::function<void(const BarrierProgress&)> on_progress_;
  CallOptions request_options_;
};

/// Waits until every task of `spec` waits here, too. All tasks must give the same spec, port, run and service. Without a service up to
/// three of them keep the roll (the first, and those at a third and two thirds of the list): they listen on their port, over plain HTTP,
/// until all have started, 10 to 19 s at most, and leave the port free, without connections in TIME_WAIT. With a secret nothing is believed
/// that does not prove that it knows it; nothing is encrypted. Without one a program that reaches that port and knows the whole list of
/// addresses can say that it is a task, so use it in a network that you trust.
///
/// A release needs every task to have answered since all were there, so two halves of a cluster that do not see each other never start. A
/// task that is cancelled, or that ends, is missing again. A task that comes again, since it is restarted, waits for the others to do so:
/// each start is one of all.
///
/// May suspend; cancellable. Errors: deadline_exceeded, which names those who are missing; invalid_argument: `own` is no task of the
/// cluster, two tasks have one address, an address without a port, a stage without a valid name, a secret that is too short;
/// failed_precondition: the port is in use
/// here; conflict: another process is at the barrier as the same task.
asio::awaitable<Result<BarrierRelease>> try_barrier(Runtime runtime, ClusterSpec spec, LaunchedTask own, BarrierOptions options = {});
/// The same; throws ResolveError.
asio::awaitable<BarrierRelease> barrier(Runtime runtime, ClusterSpec spec, LaunchedTask own, BarrierOptions options = {});

}  // namespace rollcall
