#include "tools/exec_command.hpp"

#include <fmt/format.h>

#include "rollcall/watch.hpp"
#include "tools/console.hpp"
#include "tools/exit_codes.hpp"
#include "tools/followed_cluster.hpp"
#include "tools/own_addresses.hpp"
#include "tools/program.hpp"
#include "tools/supervisor.hpp"

namespace rollcall::tools {
namespace {

// Waits, tells the program, and starts it.
class ExecCommand {
 public:
  explicit ExecCommand(Arguments arguments) : arguments_(std::move(arguments)), cluster_(arguments_), program_(arguments_.program) {}

  int run() {
    const ProgramFailure missing = program_.find();
    if (missing.code != 0) return fail(missing);
    if (cluster_.open() != exit_answered) return exit_exec_failed;
    const std::optional<Result<ClusterStatus>> status = cluster_.wait();
    if (!status) return exit_interrupted;
    if (!*status) return refuse(status->error(), exit_exec_failed);
    const Result<EnvironmentVariables> variables = variables_of((*status)->spec());
    if (!variables) return refuse(variables.error(), exit_exec_failed);
    program_.set_environment(*variables);
    if (arguments_.on_preempt == 0) return fail(program_.become());
    return supervise(**status);
  }

 private:
  static int fail(const ProgramFailure& failure) {
    complain(failure.what);
    return failure.code;
  }

  Result<EnvironmentVariables> variables_of(const ClusterSpec& spec) const {
    try {
      return render_job_environment(spec, own_task(spec), cluster_.resolver()->rpc_layer());
    } catch (const ResolveError& error) {
      return error.failure();
    }
  }

  // As given; as the surroundings tell; by this machine's addresses.
  std::optional<LaunchedTask> own_task(const ClusterSpec& spec) const {
    if (arguments_.task) return arguments_.task;
    std::optional<std::string> job;
    std::optional<int> index;
    const std::vector<std::string>& targets = arguments_.positionals;
    const bool is_one = targets.size() == 1 && arguments_.target_files.empty();
    if (is_one && !targets.front().starts_with("tpu:")) {  // whose task is always 0, the master's: that says nothing of us
      job = cluster_.resolver()->task_type();
      index = cluster_.resolver()->task_id();
      if (job && index) return LaunchedTask(*job, *index);
    }
    // A process that is none of the step's tasks is none of them wherever it runs.
    if (is_one && targets.front().starts_with("slurm:")) return std::nullopt;
    const std::vector<std::string> addresses = own_addresses();
    return find_own_task(spec, addresses, job, index);
  }

  int supervise(const ClusterStatus& waited) {
    Asking& asking = cluster_.asking();
    WatchOptions options;
    options.until(arguments_.until).members(arguments_.members).question(asking.call_options());
    Supervisor supervisor(asking.loop(), watch(cluster_.resolver(), std::move(options)), waited, arguments_.on_preempt,
                          [&asking](const ClusterStatus& status) { asking.tell(status); });
    const int status = supervisor.run(program_);
    asking.write_metrics();
    return status;
  }

  Arguments arguments_;
  FollowedCluster cluster_;
  Program program_;
};

}  // namespace

int run_exec(Arguments arguments) {
  ExecCommand command(std::move(arguments));
  return command.run();
}

}  // namespace rollcall::tools
