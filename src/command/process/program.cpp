#include "command/process/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "command/terminal/exit_codes.hpp"
#include "programs/child_start.hpp"
#include "programs/find_program.hpp"

namespace rollcall::command {

ProgramFailure Program::failure_of(int error) const {
  const int code = error == ENOENT ? exit_program_not_found : exit_program_not_executable;
  return ProgramFailure(code, fmt::format("cannot execute {}: {}", quoted(words.front()), std::strerror(error)));
}

ProgramFailure Program::find() {
  const int error = find_program(words.front(), PathFolders::all, path);
  return error == 0 ? ProgramFailure() : failure_of(error);
}

void Program::set_environment(const EnvironmentVariables& variables) {
  std::vector<std::string_view> stale;
  for (const LaunchFormat form : forms) {
    const std::vector<std::string_view> names = stale_variables(form, variables, *process_environment());
    stale.insert(stale.end(), names.begin(), names.end());
  }
  environment =
      environment_with(variables, [&stale](std::string_view name) { return std::find(stale.begin(), stale.end(), name) != stale.end(); });
}

// A script without #! is run by the shell, as execvp does.
ProgramFailure Program::become() {
  std::vector<std::string> with_shell = shell_words(path, words);
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> shell_arguments = pointers(with_shell);
  const std::vector<char*> variables = pointers(environment);
  prepare_to_become();
  ::execve(path.c_str(), arguments.data(), variables.data());
  if (errno == ENOEXEC) ::execve("/bin/sh", shell_arguments.data(), variables.data());
  return failure_of(errno);
}

ProgramFailure Program::spawn(pid_t& child) {
  hide_memory();
  ChildPlan plan;
  const int error = plan.spawn(path, words, environment, child);
  return error == 0 ? ProgramFailure() : failure_of(error);
}

}  // namespace rollcall::command
