// The meanings of the command's exit codes. One table: it maps failures to codes, and --help, the manual, the documentation and the tests
// are generated from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/render_cluster.hpp"
#include "rollcall/error.hpp"

namespace rollcall::command {

inline constexpr int exit_answered = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_timed_out = 3;
inline constexpr int exit_not_allowed = 4;
inline constexpr int exit_unreachable = 5;
inline constexpr int exit_partial = 6;
inline constexpr int exit_not_ready = 7;
// Codes for `rollcall exec`'s own failures, apart from those of programs: 110 plus the code that the failure has for other commands; the
// others as in env and docker.
inline constexpr int exit_exec_failed_for_good = 111;
inline constexpr int exit_exec_usage = 112;
inline constexpr int exit_exec_timed_out = 113;
inline constexpr int exit_exec_not_allowed = 114;
inline constexpr int exit_exec_unreachable = 115;
inline constexpr int exit_preflight_failed = 118;
inline constexpr int exit_not_restarted = 124;
inline constexpr int exit_exec_failed = 125;
inline constexpr int exit_program_not_executable = 126;
inline constexpr int exit_program_not_found = 127;
inline constexpr int exit_interrupted = 130;

struct ExitCode {
  int code;
  std::string_view meaning;
  std::string_view detail;
  std::span<const Errc> errors;  ///< the failures that map to it
};

/// Ascending by code.
std::span<const ExitCode> exit_codes() noexcept;

int exit_code_for(Errc code) noexcept;
/// As above, but a failure that a service reported is never "wrong usage": an argument that only the service rejected is a permanent
/// failure.
int exit_code_for(const Failure& failure) noexcept;

/// The code when nothing at all was found: the first of 4, 2, 1, 5, 3 that occurs, so that failures which the user can fix come before
/// those which may pass by themselves; cancellation comes before all.
int exit_code_for(const std::vector<Failure>& failures) noexcept;

/// The exit code of `rollcall exec` for a failure before its program runs; `code`: that of other commands.
int exec_code(int code) noexcept;
/// True if `code` means a failure of this command, not of a program that it has started.
bool says_failed(int code, bool is_exec) noexcept;

/// From here on a failed answer is JSON on standard output, `{"failures":[…]}`, besides the text on standard error. `target`: the target of
/// the command, if there is one; empty otherwise.
void answer_in_json(std::string target);
/// Prints these failures if answers are JSON.
void answer_failures(const std::vector<TargetFailure>& failures);

/// Prints the failure on standard error and as an answer. Returns `code`, by default its exit_code_for().
int refuse(const Failure& failure, int code);
int refuse(const Failure& failure);

}  // namespace rollcall::command
