#include "tools/program.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/text.hpp"
#include "tools/exit_codes.hpp"
#include "tools/signals.hpp"

namespace rollcall::tools {
namespace {

constexpr const char* grpc_verbosity = "GRPC_VERBOSITY";
bool is_grpc_quieted = false;
bool is_hangup_ignored = false;

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

// posix_spawn's attributes, undone at the end.
class ProgramPlan {
 public:
  ProgramPlan() {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&files);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    if (is_hangup_ignored) sigdelset(&all, SIGHUP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  }
  ~ProgramPlan() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
  }
  ProgramPlan(const ProgramPlan&) = delete;
  ProgramPlan& operator=(const ProgramPlan&) = delete;

  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
};

// Some sandboxes have no close_range().
void close_on_exec_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  DIR* const folder = ::opendir("/proc/self/fd");
  if (!folder) return;
  while (const dirent* const entry = ::readdir(folder)) {
    const auto descriptor = parse_decimal<int>(entry->d_name);
    if (descriptor && *descriptor >= first) ::fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
  }
  ::closedir(folder);
}

void reset_signals() {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    if (number == SIGHUP && is_hangup_ignored) continue;
    ::sigaction(number, &usual, nullptr);  // refused for KILL, STOP and glibc's own
  }
  unblock_signals();
}

}  // namespace

void quiet_grpc() noexcept {
  is_grpc_quieted = ::getenv(grpc_verbosity) == nullptr;
  ::setenv(grpc_verbosity, "NONE", 0);
}

void remember_ignored_signals() noexcept {
  struct sigaction now{};
  is_hangup_ignored = ::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

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
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string_view folder = folders.substr(at, end - at);
    at = end + 1;
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
  environment.clear();
  for (char** one = environ; one && *one; ++one) {
    const std::string_view entry(*one);
    const std::string_view name = entry.substr(0, entry.find('='));
    if (std::find(ours.begin(), ours.end(), name) != ours.end() || (is_grpc_quieted && name == grpc_verbosity)) continue;
    environment.emplace_back(entry);
  }
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
}

std::vector<char*> Program::pointers(std::vector<std::string>& texts) const {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// A script without #! is the shell's, as execvp has it.
ProgramFailure Program::become() {
  std::vector<std::string> shell_words = {"/bin/sh", path};
  shell_words.insert(shell_words.end(), words.begin() + 1, words.end());
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> shell_arguments = pointers(shell_words);
  const std::vector<char*> variables = pointers(environment);
  close_on_exec_from(STDERR_FILENO + 1);
  reset_signals();
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
  const ProgramPlan plan;
  int error = ::posix_spawn(&child, path.c_str(), &plan.files, &plan.attributes, arguments.data(), variables.data());
  if (error == ENOEXEC) error = ::posix_spawn(&child, "/bin/sh", &plan.files, &plan.attributes, shell_arguments.data(), variables.data());
  return error == 0 ? ProgramFailure() : failure_of(error);
}

}  // namespace rollcall::tools
