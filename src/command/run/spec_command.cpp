// `rollcall spec`.
#include <fmt/format.h>
#include <unistd.h>

#include <iterator>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::tools {
namespace {

class SpecCommand {
 public:
  SpecCommand(Arguments arguments, std::vector<ListedTarget> targets)
      : arguments_(std::move(arguments)), targets_(std::move(targets)), asking_(arguments_, targets_.size()) {}

  int run() {
    if (!asking_.open()) return exit_usage;
    answers_.resize(targets_.size());
    const Result<void> begun = arguments_.is_partial ? ask_each(asking_.runtime()) : ask_together(asking_.runtime());
    if (!begun) return refuse(begun.error());
    if (!asking_.wait()) return exit_interrupted;
    return asking_.exit_code(arguments_.is_partial ? conclude_each() : conclude_together());
  }

 private:
  using Answer = Result<ClusterSpec>;

  // All targets are one call: the first failure ends it.
  Result<void> ask_together(const Runtime& runtime) {
    const Result<std::shared_ptr<ClusterResolver>> together = make_together(runtime, targets_, arguments_);
    if (!together) return together.error();
    ask(*together, 0);
    return Result<void>();
  }

  // Every target is a call of its own; all have the same deadline.
  Result<void> ask_each(const Runtime& runtime) {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      Result<std::shared_ptr<ClusterResolver>> made = make_listed(runtime, targets_[i], arguments_);
      if (made) {
        ask(*made, i);
      } else {
        answers_[i].emplace(made.error());
      }
    }
    return Result<void>();
  }

  void ask(const std::shared_ptr<ClusterResolver>& resolver, std::size_t index) {
    asking_.ask(resolver->try_cluster_spec(asking_.call_options()), [this, index](Answer answer) {
      if (arguments_.is_partial) asking_.progress().count(answer.has_value());
      answers_[index].emplace(std::move(answer));
    });
  }

  bool print(const ClusterSpec& spec, const std::vector<TargetFailure>& failures) {
    if (arguments_.format == Format::json) return write_result(render_json(spec, failures));
    const std::string text = render_text(spec, wants_colour(STDOUT_FILENO));
    if (text.empty()) complain("the cluster has no tasks");
    return write_result(text);
  }

  int conclude_together() {
    const Answer& answer = *answers_.front();
    if (!answer) return refuse(answer.error());
    return print(*answer, {}) ? exit_answered : exit_failed;
  }

  int conclude_each() {
    std::vector<ClusterSpec> specs;
    std::vector<TargetFailure> failed;
    std::vector<Failure> failures;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      Answer& answer = *answers_[i];
      if (answer) {
        specs.push_back(std::move(*answer));
        continue;
      }
      failures.push_back(answer.error());
      failed.emplace_back(targets_[i].text, failures.back());
      const std::string message = failures.back().message();
      const std::string target = printable(targets_[i].text);
      complain(message.find(target) == std::string::npos ? fmt::format("{}: {}", target, message) : message);
    }
    if (!failures.empty() && targets_.size() > 1)
      complain(fmt::format("{} of {} targets resolved, {} failed", specs.size(), targets_.size(), failures.size()));
    Result<ClusterSpec> merged = merge(specs);
    if (!merged) {  // each answered, but they are no one cluster
      complain(merged.error().message());
      failed.emplace_back(std::string(), merged.error());
      failures.push_back(merged.error());
      specs.clear();
      merged = ClusterSpec();
    }
    const bool has_result = !specs.empty() || arguments_.format == Format::json;
    if (has_result && !print(*merged, failed)) return exit_failed;
    if (failures.empty()) return exit_answered;
    return specs.empty() ? exit_code_for(failures) : exit_partial;
  }

  Arguments arguments_;
  std::vector<ListedTarget> targets_;
  CommandSession asking_;
  std::vector<std::optional<Answer>> answers_;
};

}  // namespace

int run_spec(Arguments arguments) {
  Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) return refuse(targets.error(), exit_usage);
  SpecCommand command(std::move(arguments), std::move(*targets));
  return command.run();
}

}  // namespace rollcall::tools
