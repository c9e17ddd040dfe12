// `rollcall exec`: waits until a cluster is ready, then starts a program in it.

#include <fmt/format.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/ask/launch_probe.hpp"
#include "command/process/program.hpp"
#include "command/process/supervisor.hpp"
#include "command/run/followed_cluster.hpp"
#include "command/run/kept_program.hpp"
#include "command/show/launch_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/reader_write.hpp"
#include "launch/job_environment.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::command {
namespace {

// Waits, makes the program's environment, and starts the program.
class ExecCommand {
 public:
  explicit ExecCommand(Arguments arguments)
      : arguments_(std::move(arguments)), cluster_(arguments_), program_(arguments_.program, forms_of(arguments_.launch_as)) {}

  int run() {
    const ProgramFailure missing = program_.find();
    if (missing.code != 0) return fail(missing);
    cluster_.check_before_meeting([this](const ReadyCluster& ready) {
      const Result<EnvironmentVariables> variables = variables_of(ready);
      return variables ? Result<void>() : Result<void>(variables.error());
    });
    if (arguments_.restarts()) return keep();
    if (arguments_.on_preempt != 0) cluster_.asking().keep_runtime();
    if (const int code = cluster_.open(); code != exit_answered) return exec_code(code);
    const std::optional<Result<ReadyCluster>> ready = cluster_.wait(program_.forms);
    if (!ready) return exit_interrupted;
    if (!*ready) return cluster_.has_failed_preflight() ? refuse(ready->error(), exit_preflight_failed) : exec_code(refuse(ready->error()));
    const Result<EnvironmentVariables> variables = variables_of(**ready);
    if (!variables) return exec_code(refuse(variables.error()));
    program_.set_environment(*variables);
    if (arguments_.on_preempt == 0) return fail(program_.become());
    return supervise((*ready)->status);
  }

 private:
  static int fail(const ProgramFailure& failure) {
    complain(failure.what);
    return failure.code;
  }

  // ROLLCALL_* is always set; TF_CONFIG when no other form is asked for.
  static std::vector<LaunchFormat> forms_of(std::vector<LaunchFormat> asked) {
    asked.insert(asked.begin(), LaunchFormat::env);
    return asked;
  }

  // The program is restarted again and again.
  int keep() {
    cluster_.asking().leave_signals();
    if (const int code = cluster_.open(); code != exit_answered) return exec_code(code);
    KeptProgram kept(arguments_, cluster_, program_, [this](const ReadyCluster& ready) { return variables_of(ready); });
    return kept.run();
  }

  // Finds the task, never guesses it. A missing task is reported once; a program does not wait for a reader of that line.
  Result<void> check_task(const LaunchFacts& facts) {
    if (facts.task) return {};
    constexpr std::string_view what = "it is not known which task of the cluster this host is";
    constexpr std::string_view cure = "name it by --task JOB:INDEX";
    if (arguments_.requires_task) return Failure(Errc::failed_precondition, std::string(what)).with_hint(std::string(cure));
    if (!arguments_.is_quiet && !std::exchange(is_reported_without_task_, true) && takes_more(STDERR_FILENO))
      complain(fmt::format("{}: {} starts without a rank ({})", what, printable(arguments_.program.front(), 64), cure));
    return {};
  }

  Result<EnvironmentVariables> variables_of(const ReadyCluster& ready) {
    LaunchFacts facts = ready.facts;
    const Result<void> has_task = check_task(facts);
    if (!has_task) return has_task.error();
    EnvironmentVariables all;
    const std::optional<std::string> outside = process_environment()->get("TF_CONFIG");
    for (const LaunchFormat form : program_.forms) {
      const bool is_beside = form == LaunchFormat::env && program_.forms.size() > 1;
      const Result<EnvironmentVariables> variables = launch_environment(form, facts);
      if (!variables && is_beside && variables.error().code() == Errc::limit_exceeded) {
        complain(fmt::format("ROLLCALL_* is not set: {}", variables.error().message()));
        continue;
      }
      if (!variables) return variables.error();
      if (!arguments_.is_quiet && !are_accelerators_reported_) are_accelerators_reported_ = report_unknown_accelerators(facts, form);
      for (const auto& [name, value] : *variables) {
        if (name != "TF_CONFIG") {
          all.emplace_back(name, value);
        } else if (!is_beside && !(form == LaunchFormat::env && outside && facts.spec.empty())) {
          all.emplace_back(name, outside ? with_other_members(value, *outside, facts.spec) : value);
        }
      }
    }
    if (ready.generation) {
      all.emplace_back("ROLLCALL_GENERATION", std::to_string(*ready.generation));
    } else if (ready.status.generation) {
      all.emplace_back("ROLLCALL_GENERATION", std::to_string(*ready.status.generation));
    }
    return all;
  }

  int supervise(const ClusterStatus& waited) {
    CommandSession& asking = cluster_.asking();
    WatchOptions options;
    options.until(arguments_.until).members(arguments_.members).request_options(asking.call_options());
    const std::shared_ptr<ClusterWatch> following = watch(cluster_.resolver(), std::move(options));
    Supervisor supervisor(asking.loop(), arguments_.on_preempt);
    if (!supervisor.open(nullptr)) return exit_exec_failed;
    const int refused = supervisor.start(program_);
    if (refused != 0) return refused;
    const auto news = std::make_shared<MemberNews>(
        following, StartedCluster(waited), MeasuredBy::last_ready,
        [&supervisor](const News& one) {
          if (one.kind != NewsKind::joined) supervisor.announce(one.kind, one.why);
        },
        [&asking, following](const ClusterStatus&) { asking.update_metrics_from(following); });
    asio::co_spawn(asking.loop(), MemberNews::follow(news), [&supervisor](const std::exception_ptr&, const Failure& end) {
      const bool is_reported = end.code() == Errc::cancelled || end.code() == Errc::not_found || end.code() == Errc::not_ready;
      if (!is_reported) complain(fmt::format("{} gets no more notices of preemption: {}", supervisor.program_name(), end.message()));
    });
    const int status = supervisor.wait();
    news->close();
    asking.write_metrics();
    return status;
  }

  Arguments arguments_;
  FollowedCluster cluster_;
  Program program_;
  bool is_reported_without_task_ = false;
  bool are_accelerators_reported_ = false;  // once, for all forms and restarts
};

}  // namespace

int run_exec(Arguments arguments) {
  if (const Result<void> sensible = check_probe(arguments); !sensible) return exec_code(refuse(sensible.error()));
  ExecCommand command(std::move(arguments));
  return command.run();
}

}  // namespace rollcall::command
