// The environment of a started program: descriptors 0 to 2, default signals, and variables without those that this process set for itself
// and without secrets.
#pragma once

#include <spawn.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall {

/// Keeps gRPC from writing to standard error, unless the user configured its verbosity. Started programs do not inherit this setting.
void quiet_grpc() noexcept;
/// Signals that were ignored when this process started (by nohup) and that a started program must ignore, too.
void remember_ignored_signals() noexcept;
/// The parent of this process may have blocked some, SIGCHLD even.
void unblock_signals() noexcept;

/// The descriptors that are open now, from 3 on. Empty if there is no /proc.
std::vector<int> descriptors_past_standard_error();
/// Removes ROLLCALL_ACCESS_TOKEN from this process's environment, and from /proc/self/environ.
void forget_secrets() noexcept;

/// From here on no other process of this user can read this one's memory, by /proc, a debugger or a core dump: for a parent of programs
/// that must not read its secrets.
void hide_memory() noexcept;

/// This process's environment, `NAME=value`, with `variables` replacing those of the same name (of two with one name the later is used),
/// without the names for which `is_dropped` (null: none) returns true, the variables set by quiet_grpc(), and ROLLCALL_ACCESS_TOKEN: a
/// program that needs a token gets it explicitly.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables,
                                          const std::function<bool(std::string_view name)>& is_dropped = nullptr);

/// In the form of execve; they point into `texts`.
std::vector<char*> pointers(std::vector<std::string>& texts);

/// The settings of posix_spawn for a child: no signal blocked, none ignored except those remembered, no descriptor past standard error.
class ChildPlan {
 public:
  ChildPlan();
  ~ChildPlan();
  ChildPlan(const ChildPlan&) = delete;
  ChildPlan& operator=(const ChildPlan&) = delete;

  /// The child leads a process group of its own.
  void lead_group();
  /// `descriptor`, one of 0 to 2, is `from` in the child: one of this process's, which is 3 or above.
  void redirect(int descriptor, int from);
  /// The child's standard input is empty.
  void give_no_input();

  /// Starts `path` with `words` and `environment`; a script without `#!` by the shell, as execvp does. Returns 0, or errno.
  int spawn(const std::string& path, std::vector<std::string> words, std::vector<std::string> environment, pid_t& child);

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t files_;
};

/// The words of the shell that runs the script `path`.
std::vector<std::string> shell_words(const std::string& path, const std::vector<std::string>& words);

/// The same for this process, which is about to execute another program.
void prepare_to_become();

}  // namespace rollcall
