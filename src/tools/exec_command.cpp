#include "tools/exec_command.hpp"

#include <fmt/format.h>

#include "rollcall/watch.hpp"
#include "tools/asking.hpp"
#include "tools/console.hpp"
#include "tools/exit_codes.hpp"
#include "tools/own_addresses.hpp"
#include "tools/program.hpp"
#include "tools/spec_targets.hpp"
#include "tools/supervisor.hpp"
#include "tools/wait_command.hpp"
#include "tools/wait_display.hpp"

namespace rollcall::tools {
namespace {

// Waits, tells the program, and starts it.
class ExecCommand {
 public:
  explicit ExecCommand(Arguments arguments) : arguments_(std::move(arguments)), asking_(arguments_, 1), program_(arguments_.program) {}

  int run() {
    const ProgramFailure missing = program_.find();
    if (missing.code != 0) return fail(missing);
    asking_.hide_progress();
    if (!asking_.open()) return exit_exec_failed;
    const Result<std::shared_ptr<ClusterResolver>> resolver = make_together(asking_.runtime(), arguments_);
    if (!resolver) return refuse(resolver.error(), exit_exec_failed);
    resolver_ = *resolver;
    const std::optional<Result<ClusterStatus>> status = wait();
    if (!status) return exit_interrupted;
    if (!*status) return refuse(status->error(), exit_exec_failed);
    const Result<EnvironmentVariables> variables = variables_of((*status)->spec());
    if (!variables) return refuse(variables.error(), exit_exec_failed);
    program_.set_environment(*variables);
    if (arguments_.on_preempt == 0) return fail(program_.become());
    return supervise();
  }

 private:
  static int fail(const ProgramFailure& failure) {
    complain(failure.what);
    return failure.code;
  }

  // None: interrupted.
  std::optional<Result<ClusterStatus>> wait() {
    WaitDisplay display(asking_.executor(), arguments_.progress);
    WaitOptions options = wait_options(arguments_, asking_.call_options());
    options.on_progress([&display, this](const WaitProgress& progress) {
      display.take(progress);
      asking_.tell(progress.status);
    });
    std::optional<Result<ClusterStatus>> answer;
    asking_.ask(try_wait_until_ready(resolver_, arguments_.until, std::move(options)), [&answer, &display](Result<ClusterStatus> status) {
      display.stop();
      answer.emplace(std::move(status));
    });
    if (!asking_.wait()) answer.reset();
    return answer;
  }

  Result<EnvironmentVariables> variables_of(const ClusterSpec& spec) const {
    try {
      return render_job_environment(spec, own_task(spec), resolver_->rpc_layer());
    } catch (const ResolveError& error) {
      return error.failure();
    }
  }

  // As given; as the surroundings tell; by this machine's addresses. A tpu: target's task is always 0, the master's: that says nothing of
  // us.
  std::optional<LaunchedTask> own_task(const ClusterSpec& spec) const {
    if (arguments_.task) return arguments_.task;
    const std::vector<std::string>& targets = arguments_.positionals;
    if (targets.size() == 1 && arguments_.target_files.empty() && !targets.front().starts_with("tpu:")) {
      const std::optional<std::string> job = resolver_->task_type();
      const std::optional<int> index = resolver_->task_id();
      if (job && index) return LaunchedTask(*job, *index);
    }
    const std::vector<std::string> addresses = own_addresses();
    return find_own_task(spec, addresses);
  }

  int supervise() {
    WatchOptions options;
    options.members(arguments_.members).question(asking_.call_options());
    Supervisor supervisor(asking_.loop(), watch(resolver_, std::move(options)), arguments_.on_preempt);
    return supervisor.run(program_);
  }

  Arguments arguments_;
  Asking asking_;
  Program program_;
  std::shared_ptr<ClusterResolver> resolver_;
};

}  // namespace

int run_exec(Arguments arguments) {
  unblock_signals();
  ExecCommand command(std::move(arguments));
  return command.run();
}

}  // namespace rollcall::tools
