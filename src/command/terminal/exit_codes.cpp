#include "command/terminal/exit_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "command/terminal/console.hpp"

namespace rollcall::command {
namespace {

constexpr Errc failed[] = {Errc::not_found,          Errc::conflict,   Errc::unimplemented, Errc::not_ready, Errc::failed_precondition,
                           Errc::malformed_response, Errc::tls_failed, Errc::http_error,    Errc::rpc_error, Errc::limit_exceeded};
constexpr Errc wrong_usage[] = {Errc::invalid_argument};
constexpr Errc timed_out[] = {Errc::resolve_timeout, Errc::connect_timeout, Errc::handshake_timeout, Errc::response_timeout,
                              Errc::deadline_exceeded};
constexpr Errc not_allowed[] = {Errc::permission_denied, Errc::unauthenticated, Errc::refused_by_policy};
constexpr Errc unreachable[] = {Errc::unreachable, Errc::unknown_host, Errc::unavailable, Errc::rate_limited};
constexpr Errc interrupted[] = {Errc::cancelled};

// A row a line.
// clang-format off
constexpr ExitCode exit_code_table[] = {
    {exit_answered, "answered", "the answer is on standard output", {}},
    {exit_failed, "failed for good", "trying again will not help: it does not exist, is not ready, or answered nonsense", failed},
    {exit_usage, "wrong usage", "an argument, option, variable or file has the wrong form; nothing was asked", wrong_usage},
    {exit_timed_out, "timed out", "no answer within --timeout, or a step of a request took too long", timed_out},
    {exit_not_allowed, "not allowed", "credentials are missing, refused or not sufficient, or sending them would not be safe", not_allowed},
    {exit_unreachable, "unreachable", "the service could not be reached, its name or that of a dns: target is unknown, or it was unable to serve, until the retries were used up", unreachable},
    {exit_partial, "partial", "with --partial: some targets were found, the others are listed on standard error", {}},
    {exit_not_ready, "not ready", "rollcall status: the cluster is not ready now; standard output has the missing members", {}},
    {exit_exec_failed_for_good, "exec failed for good", "rollcall exec has not started the program, for a failure that is 1 elsewhere", {}},
    {exit_exec_usage, "exec wrong usage", "the same, for one that is 2 elsewhere", {}},
    {exit_exec_timed_out, "exec timed out", "the same, for one that is 3 elsewhere: starting it again may help", {}},
    {exit_exec_not_allowed, "exec not allowed", "the same, for one that is 4 elsewhere", {}},
    {exit_exec_unreachable, "exec unreachable", "the same, for one that is 5 elsewhere: starting it again may help", {}},
    {exit_preflight_failed, "preflight failed", "rollcall preflight: a finding is a failure; standard output has all findings", {}},
    {exit_not_restarted, "not restarted", "rollcall exec --restart-on has ended the program, or it failed, and it could not be restarted: no restart was left, the cluster did not become ready again, or this machine is being taken away", {}},
    {exit_exec_failed, "exec failed", "rollcall exec could not start the program, since this machine did not let it: processes, descriptors, /proc; once it runs, the code is the program's", {}},
    {exit_program_not_executable, "program not executable", "rollcall exec found the program, but it cannot be executed", {}},
    {exit_program_not_found, "program not found", "rollcall exec did not find the program", {}},
    {exit_interrupted, "interrupted", "Ctrl-C or SIGTERM; they are how rollcall sim is stopped, which then ends with 0", interrupted},
};
// clang-format on

}  // namespace

std::span<const ExitCode> exit_codes() noexcept { return exit_code_table; }

int exit_code_for(Errc code) noexcept {
  for (const ExitCode& row : exit_code_table) {
    if (std::find(row.errors.begin(), row.errors.end(), code) != row.errors.end()) return row.code;
  }
  return exit_failed;
}

int exit_code_for(const Failure& failure) noexcept {
  const int code = exit_code_for(failure.code());
  return code == exit_usage && failure.last_status() > 0 ? exit_failed : code;
}

int exit_code_for(const std::vector<Failure>& failures) noexcept {
  for (const int code : {exit_interrupted, exit_not_allowed, exit_usage, exit_failed, exit_unreachable, exit_timed_out}) {
    for (const Failure& failure : failures) {
      if (exit_code_for(failure) == code) return code;
    }
  }
  return exit_failed;
}

namespace {

std::optional<std::string> json_target;  // the target whose answer is JSON

}  // namespace

void answer_in_json(std::string target) { json_target = std::move(target); }

void answer_failures(const std::vector<TargetFailure>& failures) {
  if (json_target) write_result(fmt::format("{{\"failures\":{}}}\n", render_failures_json(failures)));
}

int exec_code(int code) noexcept {
  return code >= exit_failed && code <= exit_unreachable ? code + (exit_exec_failed_for_good - exit_failed) : code;
}

bool says_failed(int code, bool is_exec) noexcept {
  const int first = is_exec ? exit_exec_failed_for_good : exit_failed;
  return code >= first && code <= first + (exit_unreachable - exit_failed);
}

int refuse(const Failure& failure, int code) {
  complain(failure);
  if (json_target) answer_failures({TargetFailure(*json_target, failure)});
  return code;
}

int refuse(const Failure& failure) { return refuse(failure, exit_code_for(failure)); }

}  // namespace rollcall::command
