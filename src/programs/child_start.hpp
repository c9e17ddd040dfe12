// What a program that is started inherits: descriptors 0 to 2, signals as usual, and an environment without what this process set for
// itself and without secrets.
#pragma once

#include <spawn.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall {

/// Keeps gRPC from writing to standard error, unless the user said how much it shall. A program that is started is not told.
void quiet_grpc() noexcept;
/// Signals that were ignored when this process started (by nohup) and that a started program is to ignore, too.
void remember_ignored_signals() noexcept;
/// Whoever started this process may have blocked some, SIGCHLD even.
void unblock_signals() noexcept;

/// Those that are open at this moment, from 3 on. Empty where there is no /proc.
std::vector<int> descriptors_past_standard_error();
/// Takes ROLLCALL_ACCESS_TOKEN out of this process's environment, and out of /proc/self/environ.
void forget_secrets() noexcept;

/// No other process of this user's reads this one's memory from here on, by /proc, a debugger or a core dump: for a parent of programs that
/// must not have what is in it.
void hide_memory() noexcept;

/// This process's environment, `NAME=value`, with `variables` in the place of what has their names (of two of one name the later counts),
/// without the names that `is_dropped` (null: none), what quiet_grpc() set, and ROLLCALL_ACCESS_TOKEN: a program that needs a token is
/// given one on purpose.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables,
                                          const std::function<bool(std::string_view name)>& is_dropped = nullptr);

/// As execve wants them; they point into `texts`.
std::vector<char*> pointers(std::vector<std::string>& texts);

/// How posix_spawn makes a child: no signal blocked, none ignored but those remembered, no descriptor past standard error.
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
  /// There is nothing to read on the child's standard input.
  void give_no_input();

  /// Starts `path` with `words` and `environment`, a script without `#!` by the shell as execvp has it. Returns 0, or errno.
  int spawn(const std::string& path, std::vector<std::string> words, std::vector<std::string> environment, pid_t& child);

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t files_;
};

/// The words of the shell that runs the script `path`.
std::vector<std::string> shell_words(const std::string& path, const std::vector<std::string>& words);

/// The same for this process, which is about to become another program.
void prepare_to_become();

}  // namespace rollcall
