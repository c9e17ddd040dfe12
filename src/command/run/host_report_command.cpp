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
  const bool is_speed = !words.empty() && words.size() <= 2 && words[0] == "speed";
  if (!is_folder && !is_software && !is_speed)
    return refuse(Failure(Errc::invalid_argument, "accepted are folder PATH, software [ROOT] and speed [PATH]"), exit_usage);
  const std::string place = words.size() == 2 ? words[1] : std::string();
  const std::string line = is_folder  ? host_folder_line(place)
                           : is_speed ? host_speed_line(place)
                                      : host_software_line(*process_environment(), place);
  return write_result(line) ? exit_answered : exit_failed;
}

}  // namespace rollcall::command
