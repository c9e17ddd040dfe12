// `rollcall doctor`.
#include <unistd.h>

#include <optional>

#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/process/command_files.hpp"
#include "command/run/command_session.hpp"
#include "command/show/doctor_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_doctor.hpp"
#include "rollcall/doctor.hpp"

namespace rollcall::command {
int run_doctor(Arguments arguments) {
  DoctorOptions options;
  options.project(arguments.project).zone(arguments.zone);
  if (!arguments.positionals.empty()) {
    const std::string& target = arguments.positionals.front();
    const Result<void> scheme = check_scheme(target);
    if (!scheme) return refuse(scheme.error(), exit_usage);
    options.target(target);
  }
  CommandSession asking(arguments, 1);
  if (!asking.open()) return exit_usage;
  std::optional<Result<DoctorReport>> report;
  asking.ask(try_doctor(asking.runtime(), std::move(options), asking.call_options()),
             [&report](Result<DoctorReport> answer) { report.emplace(std::move(answer)); });
  if (!asking.wait()) return exit_interrupted;
  if (!*report) return asking.exit_code(refuse(report->error()));
  const bool is_json = arguments.format == Format::json;
  // In a pipe, text is not broken into lines.
  const std::size_t width = is_terminal(STDOUT_FILENO) ? static_cast<std::size_t>(terminal_width(STDOUT_FILENO)) : std::string::npos;
  if (!write_result(is_json ? render_doctor_json(**report) + "\n" : doctor_text(**report, width, wants_colour(STDOUT_FILENO))))
    return exit_failed;
  return asking.exit_code((*report)->has_failed() ? exit_failed : exit_answered);
}

}  // namespace rollcall::command
