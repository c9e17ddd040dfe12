#include "command/process/program.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "command/process/child_start.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::tools {
namespace {

bool is_directory(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// 0, or errno.
int can_execute(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return errno;
  if (is_directory(path)) return EISDIR;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

ProgramFailure Program::failure_of(int error) const {
  const int code = error == ENOENT ? exit_program_not_found : exit_program_not_executable;
  return ProgramFailure(code, fmt::format("cannot execute {}: {}", quoted(words.front()), std::strerror(error)));
}

ProgramFailure Program::find() {
  const std::string& name = words.front();
  if (name.empty()) return failure_of(ENOENT);
  if (name.find('/') != std::string::npos) {
    path = name;
    const int error = can_execute(path);
    return error == 0 ? ProgramFailure() : failure_of(error);
  }
  const char* const variable = ::getenv("PATH");
  const std::string_view folders = variable ? variable : "/bin:/usr/bin";
  int first_error = ENOENT;
  for (const std::string_view folder : split(folders, ':')) {
    const std::string candidate = folder.empty() ? name : fmt::format("{}/{}", folder, name);
    const int error = can_execute(candidate);
    if (error == 0) {
      path = candidate;
      return ProgramFailure();
    }
    if (error != ENOENT && error != ENOTDIR && first_error == ENOENT) first_error = error;
  }
  return failure_of(first_error);
}

void Program::set_environment(const EnvironmentVariables& variables) {
  const auto ours = job_environment_names();
  environment = inherited_environment([&ours](std::string_view name) { return std::find(ours.begin(), ours.end(), name) != ours.end(); });
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
}

// A script without #! is the shell's, as execvp has it.
ProgramFailure Program::become() {
  std::vector<std::string> shell_words = {"/bin/sh", path};
  shell_words.insert(shell_words.end(), words.begin() + 1, words.end());
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> shell_arguments = pointers(shell_words);
  const std::vector<char*> variables = pointers(environment);
  prepare_to_become();
  ::execve(path.c_str(), arguments.data(), variables.data());
  if (errno == ENOEXEC) ::execve("/bin/sh", shell_arguments.data(), variables.data());
  return failure_of(errno);
}

ProgramFailure Program::spawn(pid_t& child) {
  std::vector<std::string> shell_words = {"/bin/sh", path};
  shell_words.insert(shell_words.end(), words.begin() + 1, words.end());
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> shell_arguments = pointers(shell_words);
  const std::vector<char*> variables = pointers(environment);
  const ChildPlan plan;
  int error = ::posix_spawn(&child, path.c_str(), &plan.files, &plan.attributes, arguments.data(), variables.data());
  if (error == ENOEXEC) error = ::posix_spawn(&child, "/bin/sh", &plan.files, &plan.attributes, shell_arguments.data(), variables.data());
  return error == 0 ? ProgramFailure() : failure_of(error);
}

}  // namespace rollcall::tools
