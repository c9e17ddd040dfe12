// `rollcall host-report`: the process that `rollcall preflight` starts to look at folders, which may block for any time.
#include <sys/prctl.h>

#include <csignal>

#include "command/arguments/command_table.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/check_host.hpp"
#include "rollcall/environment.hpp"

namespace rollcall::command {

int run_host_report(Arguments arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it ends with the process that reads the line
  const std::vector<std::string>& words = arguments.positionals;
  const bool is_folder = words.size() == 2 && words[0] == "folder";
  const bool is_software = !words.empty() && words.size() <= 2 && words[0] == "software";
  if (!is_folder && !is_software)
    return refuse(Failure(Errc::invalid_argument, "accepted are folder PATH and software [ROOT]"), exit_usage);
  const std::string line =
      is_folder ? host_folder_line(words[1]) : host_software_line(*process_environment(), words.size() == 2 ? words[1] : std::string());
  return write_result(line) ? exit_answered : exit_failed;
}

}  // namespace rollcall::command
