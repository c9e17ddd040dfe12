// `rollcall devices`: the accelerators of clusters.
#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/ask/ask_devices.hpp"
#include "command/ask/ask_each_target.hpp"
#include "command/ask/local_devices.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::command {
namespace {

// Each target is a question of its own.
class DevicesCommand {
 public:
  DevicesCommand(Arguments arguments, std::vector<ListedTarget> targets)
      : arguments_(std::move(arguments)), targets_(std::move(targets)), session_(arguments_, targets_.size()) {}

  int run() {
    if (!session_.open()) return exit_usage;
    const auto question = [options = session_.call_options()](const std::string& target, std::shared_ptr<ClusterResolver> resolver) {
      return ask_devices(target, std::move(resolver), options);
    };
    const auto count = [this](bool is_answered) { session_.progress().count(is_answered); };
    std::optional<Answers> answers;
    session_.ask(ask_each_target<DeviceReport>(targets_, make_each(session_.runtime(), targets_, arguments_), question, count),
                 [&answers](Answers found) { answers.emplace(std::move(found)); });
    if (!session_.wait()) return exit_interrupted;
    return session_.exit_code(*answers ? conclude(std::move(**answers)) : refuse(answers->error()));
  }

 private:
  using Answers = Result<std::vector<Result<DeviceReport>>>;

  int conclude(std::vector<Result<DeviceReport>> answers) {
    std::vector<DeviceReport> reports;
    std::vector<TargetFailure> failed;
    std::vector<Failure> failures;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (answers[i]) {
        reports.push_back(std::move(*answers[i]));
        continue;
      }
      failures.push_back(answers[i].error());
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
  CommandSession session_;
};

}  // namespace

int run_devices(Arguments arguments) {
  const Result<bool> is_here = asks_this_host(arguments.positionals, !arguments.target_files.empty());
  if (!is_here) return refuse(is_here.error(), exit_usage);
  if (*is_here) return run_local_devices(arguments);
  if (arguments.leaves_nvml || !arguments.machine_root.empty()) {
    const std::string_view option = arguments.leaves_nvml ? "--no-nvml" : "--machine-root";
    return refuse(Failure(Errc::invalid_argument, fmt::format("{} is for this host: rollcall devices local", option)), exit_usage);
  }
  Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) return refuse(targets.error(), exit_usage);
  DevicesCommand command(std::move(arguments), std::move(*targets));
  return command.run();
}

}  // namespace rollcall::command
