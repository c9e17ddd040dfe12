// `rollcall nvml-report`: the process that `rollcall devices local` starts to ask NVIDIA's library, which may crash or block.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "command/arguments/command_table.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/find_local_devices.hpp"

namespace rollcall::command {

int run_nvml_report(Arguments arguments) {
  // It ends with the process that reads the line, and a crash of the library leaves no file.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const bool is_written = write_result(nvml_report_line(arguments.timeout));
  ::_exit(is_written ? exit_answered : exit_failed);  // the library's own end may crash or block, too
}

}  // namespace rollcall::command
