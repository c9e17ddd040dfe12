#include "command/ask/local_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"

namespace rollcall::command {

Result<bool> asks_this_host(const std::vector<std::string>& targets, bool has_others) {
  constexpr std::string_view words[] = {local_word};
  for (const std::string& text : targets) {
    if (text == local_word || text.find(':') != std::string::npos || !nearest(text, words)) continue;
    return Failure(Errc::invalid_argument, fmt::format("{} has no scheme", quoted(text, 64)))
        .with_hint(fmt::format("did you mean {}?", local_word));
  }
  if (std::find(targets.begin(), targets.end(), local_word) == targets.end()) return false;
  if (targets.size() == 1 && !has_others) return true;
  return Failure(Errc::invalid_argument, "'local' is this host, and cannot stand beside targets")
      .with_hint("ask for the targets by a question of their own");
}

LocalDevicesOptions local_devices_options(const Arguments& arguments, Duration timeout) {
  LocalDevicesOptions options;
  options.root(arguments.machine_root);
  if (arguments.leaves_nvml) return options;
  // Less than the wait for the process, so that one GPU that blocks does not hide the others.
  const Duration patience = std::min<Duration>(options.nvml_timeout() / 4 * 3, timeout / 5 * 2);
  const auto milliseconds = std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
  // This program itself, also when its file was replaced meanwhile.
  options.nvml_program({"/proc/self/exe", std::string(nvml_report_word), "--timeout", fmt::format("{}ms", milliseconds)});
  return options;
}

}  // namespace rollcall::command
