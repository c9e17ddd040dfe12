// `rollcall exec`: waits until a cluster is ready, then starts a program in it.

#include "command/arguments/command_table.hpp"
#include "command/ask/launch_probe.hpp"
#include "command/process/program.hpp"
#include "command/process/supervisor.hpp"
#include "command/run/followed_cluster.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/launch.hpp"
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
    const std::vector<LaunchFormat> forms = forms_of(arguments_.launch_as);
    const Result<EnvironmentVariables> variables = variables_of((*status)->spec(), forms);
    if (!variables) return refuse(variables.error(), exit_exec_failed);
    program_.set_environment(*variables, forms);
    if (arguments_.on_preempt == 0) return fail(program_.become());
    return supervise(**status);
  }

 private:
  static int fail(const ProgramFailure& failure) {
    complain(failure.what);
    return failure.code;
  }

  // ROLLCALL_* is told in any case; TF_CONFIG when no other form is asked for.
  static std::vector<LaunchFormat> forms_of(std::vector<LaunchFormat> asked) {
    asked.insert(asked.begin(), LaunchFormat::env);
    return asked;
  }

  Result<EnvironmentVariables> variables_of(const ClusterSpec& spec, const std::vector<LaunchFormat>& forms) {
    const Result<LaunchFacts> facts = cluster_.ask_launch_facts(spec, forms);
    if (!facts) return facts.error();
    EnvironmentVariables all;
    for (const LaunchFormat form : forms) {
      const Result<EnvironmentVariables> variables = launch_environment(form, *facts);
      if (!variables) return variables.error();
      for (const auto& [name, value] : *variables) {
        if (name == "TF_CONFIG" && form == LaunchFormat::env && forms.size() > 1) continue;
        all.emplace_back(name, value);
      }
    }
    return all;
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
  if (const Result<void> sensible = check_probe(arguments); !sensible) return refuse(sensible.error(), exit_exec_failed);
  ExecCommand command(std::move(arguments));
  return command.run();
}

}  // namespace rollcall::tools
