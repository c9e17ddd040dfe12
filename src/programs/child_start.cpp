#include "programs/child_start.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view secret_variables[] = {"ROLLCALL_ACCESS_TOKEN"};
constexpr const char* grpc_verbosity = "GRPC_VERBOSITY";
constexpr short usual_signals = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
constexpr int first_of_ours = STDERR_FILENO + 1;
bool is_grpc_quieted = false;
bool is_hangup_ignored = false;

// Some sandboxes have no close_range().
void close_ours_on_exec() {
  if (::close_range(first_of_ours, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (const int descriptor : descriptors_past_standard_error()) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
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

void unblock_signals() noexcept {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<int> descriptors_past_standard_error() {
  std::vector<int> found;
  DIR* const folder = ::opendir("/proc/self/fd");
  if (!folder) return found;
  while (const dirent* const entry = ::readdir(folder)) {
    const auto descriptor = parse_decimal<int>(entry->d_name);
    if (descriptor && *descriptor >= first_of_ours && *descriptor != ::dirfd(folder)) found.push_back(*descriptor);
  }
  ::closedir(folder);
  return found;
}

void forget_secrets() noexcept {
  for (const std::string_view name : secret_variables) {
    char* const value = ::getenv(name.data());
    if (value) ::explicit_bzero(value, std::strlen(value));
    ::unsetenv(name.data());
  }
}

void hide_memory() noexcept { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables,
                                          const std::function<bool(std::string_view name)>& is_dropped) {
  std::vector<std::string> environment;
  for (char** one = environ; one && *one; ++one) {
    const std::string_view entry(*one);
    const std::string_view name = entry.substr(0, entry.find('='));
    const auto has_name = [name](const auto& variable) { return variable.first == name; };
    const bool is_secret = std::find(std::begin(secret_variables), std::end(secret_variables), name) != std::end(secret_variables);
    const bool is_left_out = is_secret || (is_grpc_quieted && name == grpc_verbosity) || (is_dropped && is_dropped(name));
    if (!is_left_out && std::none_of(variables.begin(), variables.end(), has_name)) environment.emplace_back(entry);
  }
  for (auto at = variables.begin(); at != variables.end(); ++at) {
    const bool is_last = std::none_of(at + 1, variables.end(), [at](const auto& later) { return later.first == at->first; });
    if (is_last) environment.push_back(at->first + "=" + at->second);
  }
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> shell_words(const std::string& path, const std::vector<std::string>& words) {
  std::vector<std::string> with_shell = {"/bin/sh", path};
  with_shell.insert(with_shell.end(), words.begin() + 1, words.end());
  return with_shell;
}

ChildPlan::ChildPlan() {
  posix_spawnattr_init(&attributes_);
  posix_spawn_file_actions_init(&files_);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  if (is_hangup_ignored) sigdelset(&all, SIGHUP);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &all);
  posix_spawnattr_setflags(&attributes_, usual_signals);
}

ChildPlan::~ChildPlan() {
  posix_spawnattr_destroy(&attributes_);
  posix_spawn_file_actions_destroy(&files_);
}

void ChildPlan::lead_group() {
  posix_spawnattr_setpgroup(&attributes_, 0);
  posix_spawnattr_setflags(&attributes_, usual_signals | POSIX_SPAWN_SETPGROUP);
}

void ChildPlan::redirect(int descriptor, int from) { posix_spawn_file_actions_adddup2(&files_, from, descriptor); }
void ChildPlan::give_no_input() { posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0); }

int ChildPlan::spawn(const std::string& path, std::vector<std::string> words, std::vector<std::string> environment, pid_t& child) {
  posix_spawn_file_actions_addclosefrom_np(&files_, first_of_ours);  // the last action: the others use descriptors of this process
  std::vector<std::string> with_shell = shell_words(path, words);
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> shell_arguments = pointers(with_shell);
  const std::vector<char*> variables = pointers(environment);
  const int error = ::posix_spawn(&child, path.c_str(), &files_, &attributes_, arguments.data(), variables.data());
  if (error != ENOEXEC) return error;
  return ::posix_spawn(&child, "/bin/sh", &files_, &attributes_, shell_arguments.data(), variables.data());
}

void prepare_to_become() {
  close_ours_on_exec();
  reset_signals();
}

}  // namespace rollcall
