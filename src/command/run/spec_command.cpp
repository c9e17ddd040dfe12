// `rollcall spec`.
#include <fmt/format.h>
#include <unistd.h>

#include <iterator>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/ask/ask_each_target.hpp"
#include "command/ask/launch_facts.hpp"
#include "command/ask/launch_probe.hpp"
#include "command/ask/spec_of_each.hpp"
#include "command/run/command_session.hpp"
#include "command/show/launch_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::command {
namespace {

class SpecCommand {
 public:
  SpecCommand(Arguments arguments, std::vector<ListedTarget> targets)
      : arguments_(std::move(arguments)), targets_(std::move(targets)), session_(arguments_, targets_.size()) {}

  int run() {
    if (!session_.open()) return exit_usage;
    if (arguments_.launch_format) return run_launch(*arguments_.launch_format);
    const Result<void> begun = arguments_.is_partial ? begin_each(session_.runtime()) : ask_together(session_.runtime());
    if (!begun) return refuse(begun.error());
    if (!session_.wait()) return exit_interrupted;
    return session_.exit_code(arguments_.is_partial ? conclude_each() : conclude_together());
  }

 private:
  using Answer = Result<ClusterSpec>;

  // An empty cluster is an answer, but rarely the intended one.
  void report_empty(const ClusterSpec& spec) const {
    if (spec.job_list().empty()) return complain(empty_cluster_text(arguments_));
    for (const ClusterSpec::Job& job : spec.job_list()) {
      if (job.tasks.empty())
        complain(fmt::format("job {} has no tasks: nothing was found that belongs to it; rollcall status says more", quoted(job.name)));
    }
  }

  // Asks for the cluster, and then for the facts that the form uses.
  int run_launch(LaunchFormat format) {
    const Result<std::vector<ClusterPart>> parts = make_parts(session_.runtime(), targets_, arguments_);
    if (!parts) return refuse(parts.error());
    std::optional<Result<LaunchFacts>> facts;
    auto question =
        ask_cluster_and_facts(arguments_.launch, format, *parts, put_together(session_.runtime(), *parts), session_.call_options());
    session_.ask(with_probe(arguments_.probes_coordinator, std::move(question), session_.runtime(), {format}, session_.call_options()),
                 [&facts](Result<LaunchFacts> answer) { facts.emplace(std::move(answer)); });
    if (!session_.wait()) return exit_interrupted;
    if (!*facts) return refuse(facts->error());
    if (arguments_.is_verbose) print_task_order(*parts);
    return session_.exit_code(print_launch(format, **facts, arguments_.is_quiet));
  }

  // All targets are one call: the first failure ends it.
  Result<void> ask_together(const Runtime& runtime) {
    const Result<std::shared_ptr<ClusterResolver>> together = make_together(runtime, targets_, arguments_);
    if (!together) return together.error();
    session_.ask((*together)->try_cluster_spec(session_.call_options()), [this](Answer answer) { together_.emplace(std::move(answer)); });
    return Result<void>();
  }

  // Each target is a call of its own; all have the same deadline.
  Result<void> begin_each(const Runtime& runtime) {
    const auto question = [options = session_.call_options()](const std::string&, const std::shared_ptr<ClusterResolver>& resolver) {
      return resolver->try_cluster_spec(options);
    };
    const auto count = [this](bool is_answered) { session_.progress().count(is_answered); };
    session_.ask(ask_each_target<ClusterSpec>(targets_, make_each(runtime, targets_, arguments_), question, count),
                 [this](Result<std::vector<Answer>> answers) { each_.emplace(std::move(answers)); });
    return Result<void>();
  }

  bool print(const ClusterSpec& spec, const std::vector<TargetFailure>& failures) {
    if (arguments_.format == Format::json) return write_result(render_json(spec, failures));
    const std::string text = render_text(spec, wants_colour(STDOUT_FILENO));
    if (!arguments_.is_quiet) report_empty(spec);
    return write_result(text);
  }

  int conclude_together() {
    const Answer& answer = *together_;
    if (!answer) return refuse(answer.error());
    return print(*answer, {}) ? exit_answered : exit_failed;
  }

  int conclude_each() {
    if (!*each_) return refuse(each_->error());
    SpecOfEach each = put_answers_together(targets_, std::move(**each_));
    std::vector<Failure> failures;
    for (const TargetFailure& one : each.failed) {
      failures.push_back(one.failure);
      const std::string message = one.failure.message();
      const std::string target = target_text(one.target);
      complain(message.find(target) == std::string::npos ? fmt::format("{}: {}", target, message) : message);
    }
    if (each.resolved < targets_.size() && targets_.size() > 1 && !arguments_.is_quiet)
      complain(fmt::format("{} of {} targets resolved, {} failed", each.resolved, targets_.size(), targets_.size() - each.resolved));
    const bool has_result = each.is_cluster || arguments_.format == Format::json;
    if (has_result && !print(each.spec, each.failed)) return exit_failed;
    if (failures.empty()) return exit_answered;
    return each.is_cluster ? exit_partial : exit_code_for(failures);
  }

  Arguments arguments_;
  std::vector<ListedTarget> targets_;
  CommandSession session_;
  std::optional<Answer> together_;
  std::optional<Result<std::vector<Answer>>> each_;
};

}  // namespace

int run_spec(Arguments arguments) {
  if (arguments.launch_format && arguments.is_partial)
    return refuse(Failure(Errc::invalid_argument, fmt::format("{} is a form of the whole cluster: it has no part for --partial",
                                                              to_string(*arguments.launch_format))),
                  exit_usage);
  if (const Result<void> sensible = check_probe(arguments); !sensible) return refuse(sensible.error(), exit_usage);
  Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) return refuse(targets.error(), exit_usage);
  SpecCommand command(std::move(arguments), std::move(*targets));
  return command.run();
}

}  // namespace rollcall::command
