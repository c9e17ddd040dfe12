// What the command's exit code says. One table: it decides the code, and --help, the manual, the documentation and the tests
// are made from it.
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
// What `rollcall exec` says of itself, apart from what programs end with: 110 and the code that the failure has elsewhere; the rest as env
// and docker do.
inline constexpr int exit_exec_failed_for_good = 111;
inline constexpr int exit_exec_usage = 112;
inline constexpr int exit_exec_timed_out = 113;
inline constexpr int exit_exec_not_allowed = 114;
inline constexpr int exit_exec_unreachable = 115;
inline constexpr int exit_not_restarted = 124;
inline constexpr int exit_exec_failed = 125;
inline constexpr int exit_program_not_executable = 126;
inline constexpr int exit_program_not_found = 127;
inline constexpr int exit_interrupted = 130;

struct ExitCode {
  int code;
  std::string_view meaning;
  std::string_view detail;
  std::span<const Errc> errors;  ///< the failures that end in it
};

/// Ascending by code.
std::span<const ExitCode> exit_codes() noexcept;

int exit_code_for(Errc code) noexcept;
/// As above, but a failure that a service reported is never "wrong usage": an argument that only the service found fault
/// with has failed for good.
int exit_code_for(const Failure& failure) noexcept;

/// The code when nothing at all was found: the first of 4, 2, 1, 5, 3 that occurs, so that what the user can mend comes
/// before what may pass by itself; cancellation comes before all.
int exit_code_for(const std::vector<Failure>& failures) noexcept;

/// What `rollcall exec` ends with before its program runs, for a failure that ends in `code` elsewhere.
int exec_code(int code) noexcept;
/// True if `code` is that of a failure of this command's own, not of a program that it has started.
bool says_failed(int code, bool is_exec) noexcept;

/// From here on an answer that there is not is JSON on standard output, `{"failures":[…]}`, besides what is said on standard error.
/// `target`: who is asked, if it is one; empty otherwise.
void answer_in_json(std::string target);
/// Prints these, if answers are JSON.
void answer_failures(const std::vector<TargetFailure>& failures);

/// Says on standard error what went wrong, and answers it. Returns `code`; none given: exit_code_for() it.
int refuse(const Failure& failure, int code);
int refuse(const Failure& failure);

}  // namespace rollcall::command
