// `rollcall completion` and `rollcall man`: what the tables of commands are printed as.
#include "command/arguments/command_table.hpp"
#include "command/arguments/completion.hpp"
#include "command/arguments/manual.hpp"
#include "command/arguments/version.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::tools {

int run_completion(Arguments arguments) {
  const Result<std::string> script = completion_script(arguments.positionals.front());
  if (!script) return refuse(script.error(), exit_usage);
  return write_result(*script) ? exit_answered : exit_failed;
}

int run_man(Arguments) { return write_result(manual_page(version())) ? exit_answered : exit_failed; }

}  // namespace rollcall::tools
