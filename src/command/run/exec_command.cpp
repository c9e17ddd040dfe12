// `rollcall exec`: waits until a cluster is ready, then starts a program in it.

#include "command/arguments/command_table.hpp"
#include "command/process/program.hpp"
#include "command/process/supervisor.hpp"
#include "command/run/followed_cluster.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/job_environment.hpp"
#include "rollcall/watch.hpp"

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

  Result<EnvironmentVariables> variables_of(const ClusterSpec& spec) {
    std::optional<LaunchedTask> task = arguments_.task;
    if (!task) {
      const Result<std::optional<OwnTask>> found = cluster_.find_own_task_if_told(spec);
      if (!found) return found.error();
      if (*found) task.emplace((*found)->job, (*found)->index);
    }
    try {
      return render_job_environment(spec, task, cluster_.resolver()->rpc_layer());
    } catch (const ResolveError& error) {
      return error.failure();
    }
  }

  int supervise(const ClusterStatus& waited) {
    CommandSession& asking = cluster_.asking();
    WatchOptions options;
    options.until(arguments_.until).members(arguments_.members).request_options(asking.call_options());
    const std::shared_ptr<ClusterWatch> following = watch(cluster_.resolver(), std::move(options));
    Supervisor supervisor(asking.loop(), following, waited, arguments_.on_preempt,
                          [&asking, following](const ClusterStatus&) { asking.tell_of(following); });
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
