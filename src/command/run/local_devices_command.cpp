// `rollcall devices local`: the accelerators of this host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "command/arguments/command_table.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_local_devices.hpp"
#include "rollcall/find_local_devices.hpp"

namespace rollcall::command {

bool is_local_question(const Arguments& arguments) noexcept {
  return std::find(arguments.positionals.begin(), arguments.positionals.end(), local_word) != arguments.positionals.end();
}

int run_local_devices(const Arguments& arguments) {
  if (arguments.positionals.size() > 1 || !arguments.target_files.empty()) {
    return refuse(Failure(Errc::invalid_argument, "'local' is this host, and cannot stand beside targets")
                      .with_hint("ask for the targets by a command of their own"),
                  exit_usage);
  }
  LocalDevicesOptions options;
  options.root(arguments.machine_root);
  if (!arguments.leaves_nvml) {
    // Less than the wait for the process, so that one GPU that blocks does not hide the others.
    const Duration patience = std::min<Duration>(options.nvml_timeout() / 4 * 3, arguments.timeout / 5 * 2);
    const auto milliseconds = std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
    // This program itself, also when its file was replaced meanwhile.
    options.nvml_program({"/proc/self/exe", std::string(nvml_report_word), "--timeout", fmt::format("{}ms", milliseconds)});
  }
  CommandSession asking(arguments, 1);
  asking.ask_directly();
  if (!asking.open()) return exit_usage;
  std::optional<Result<LocalDevices>> found;
  asking.ask(try_find_local_devices(asking.runtime(), std::move(options), asking.call_options()),
             [&found](Result<LocalDevices> answer) { found.emplace(std::move(answer)); });
  if (!asking.wait()) return exit_interrupted;
  if (!*found) return asking.exit_code(refuse(found->error()));
  const bool is_json = arguments.format == Format::json;
  if (!write_result(is_json ? render_local_devices_json(**found) : render_local_devices_text(**found))) return exit_failed;
  return asking.exit_code(exit_answered);
}

}  // namespace rollcall::command
