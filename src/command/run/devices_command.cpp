// `rollcall devices`: the accelerators of clusters.
#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/ask/ask_devices.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::command {
namespace {

// Each target is a question of its own.
class DevicesCommand {
 public:
  DevicesCommand(Arguments arguments, std::vector<ListedTarget> targets)
      : arguments_(std::move(arguments)), targets_(std::move(targets)), answers_(targets_.size()), session_(arguments_, targets_.size()) {}

  int run() {
    if (!session_.open()) return exit_usage;
    for (std::size_t i = 0; i < targets_.size(); ++i) ask(i);
    if (!session_.wait()) return exit_interrupted;
    return session_.exit_code(conclude());
  }

 private:
  using Answer = Result<DeviceReport>;

  void ask(std::size_t index) {
    const ListedTarget& target = targets_[index];
    const Result<std::shared_ptr<ClusterResolver>> made = make_listed(session_.runtime(), target, arguments_);
    if (!made) {
      answers_[index].emplace(made.error());
      return;
    }
    session_.ask(ask_devices(target.text, *made, session_.call_options()), [this, index](Answer found) {
      session_.progress().count(found.has_value());
      answers_[index].emplace(std::move(found));
    });
  }

  int conclude() {
    std::vector<DeviceReport> reports;
    std::vector<TargetFailure> failed;
    std::vector<Failure> failures;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (*answers_[i]) {
        reports.push_back(std::move(**answers_[i]));
        continue;
      }
      failures.push_back(answers_[i]->error());
      failed.emplace_back(targets_[i].text, failures.back());
      complain(targets_.size() > 1 ? fmt::format("{}: {}", target_text(targets_[i].text), failures.back().message())
                                   : failures.back().message());
    }
    if (!failures.empty() && !arguments_.is_partial) {
      answer_failures(failed);
      return exit_code_for(failures);
    }
    const bool is_json = arguments_.format == Format::json;
    if ((!reports.empty() || is_json) && !write_result(is_json ? render_devices_json(reports, failed) : render_devices_text(reports)))
      return exit_failed;
    if (failures.empty()) return exit_answered;
    return reports.empty() ? exit_code_for(failures) : exit_partial;
  }

  Arguments arguments_;
  std::vector<ListedTarget> targets_;
  std::vector<std::optional<Answer>> answers_;
  CommandSession session_;
};

}  // namespace

int run_devices(Arguments arguments) {
  Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) return refuse(targets.error(), exit_usage);
  DevicesCommand command(std::move(arguments), std::move(*targets));
  return command.run();
}

}  // namespace rollcall::command
