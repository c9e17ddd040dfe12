// `rollcall devices local`: the accelerators of this host.
#include <optional>

#include "command/arguments/command_table.hpp"
#include "command/ask/local_devices.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_local_devices.hpp"
#include "rollcall/find_local_devices.hpp"

namespace rollcall::command {

int run_local_devices(const Arguments& arguments) {
  CommandSession asking(arguments, 1);
  asking.ask_directly();
  if (!asking.open()) return exit_usage;
  std::optional<Result<LocalDevices>> found;
  asking.ask(try_find_local_devices(asking.runtime(), local_devices_options(arguments, arguments.timeout), asking.call_options()),
             [&found](Result<LocalDevices> answer) { found.emplace(std::move(answer)); });
  if (!asking.wait()) return exit_interrupted;
  if (!*found) return asking.exit_code(refuse(found->error()));
  const bool is_json = arguments.format == Format::json;
  if (!write_result(is_json ? render_local_devices_json(**found) : render_local_devices_text(**found))) return exit_failed;
  return asking.exit_code(exit_answered);
}

}  // namespace rollcall::command
