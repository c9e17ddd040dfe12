#include "resolvers/slurm/rules/slurm_service.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "call/rules/classify_status.hpp"

namespace rollcall {
namespace {

// Numbers of slurm_errno.h.
constexpr int slurm_unspecified = -1;
constexpr int slurm_not_authenticated = 1007;
constexpr int slurm_no_controller = 1800;
constexpr int slurm_invalid_partition = 2000;
constexpr int slurm_access_denied = 2002;
constexpr int slurm_invalid_job = 2017;
constexpr int slurm_invalid_node = 2018;
constexpr int slurm_rest_first = 9000;
constexpr int slurm_rest_end = 9100;

constexpr const char* token_advice =
    "make a new token (scontrol token), check that its user is the one that is named, and that slurmrestd and slurmctld have the same key";
constexpr const char* controller_advice = "check with scontrol ping that slurmctld runs";

StatusVerdict slurm_verdict(AttemptClass attempt_class, Errc code, std::string hint) {
  StatusVerdict verdict;
  verdict.attempt_class = attempt_class;
  verdict.code = code;
  verdict.hint = std::move(hint);
  return verdict;
}

std::optional<StatusVerdict> verdict_of_number(int number) {
  switch (number) {
    case slurm_unspecified:
      return slurm_verdict(
          AttemptClass::transient, Errc::unavailable,
          fmt::format("slurmctld cannot be reached, or refuses the token, which Slurm 22.05 does not tell apart: {}", controller_advice));
    case slurm_not_authenticated: return slurm_verdict(AttemptClass::refresh_token, Errc::unauthenticated, token_advice);
    case slurm_no_controller: return slurm_verdict(AttemptClass::transient, Errc::unavailable, controller_advice);
    case slurm_access_denied:
      return slurm_verdict(AttemptClass::permanent, Errc::permission_denied, "ask as the job's user, or as an operator of the cluster");
    case slurm_invalid_job:
    case slurm_invalid_node:
    case slurm_invalid_partition:
      return slurm_verdict(
          AttemptClass::permanent, Errc::not_found,
          "squeue --me lists jobs; Slurm forgets a job a few minutes after its end (MinJobAge); sacct -j ID shows how it ended");
    default: break;
  }
  if (number >= slurm_rest_first && number < slurm_rest_end) return slurm_verdict(AttemptClass::permanent, Errc::invalid_argument, {});
  return std::nullopt;
}

std::vector<SlurmError> errors_in(std::string_view body) {
  ParseLimits limits;
  limits.max_document = 256 * 1024;
  const Result<JsonDocument> document = JsonDocument::parse("the error", body, limits);
  if (!document || !document->root().is_object()) return {};
  return slurm_errors(document->root());
}

std::optional<StatusVerdict> verdict_of_slurmrestd(int status, std::string_view content_type, std::string_view body) {
  constexpr int unauthorized = 401;
  constexpr int not_found = 404;
  constexpr int network_authentication = 511;
  const bool is_text = content_type.starts_with("text/plain");
  if (status == unauthorized && is_text) {
    return slurm_verdict(AttemptClass::refresh_token, Errc::unauthenticated,
                         "slurmrestd takes no token there (a unix socket without rest_auth/jwt: leave the token out), or wants one: "
                         "SLURM_JWT or token_file=");
  }
  const std::vector<SlurmError> errors = errors_in(body);
  for (const SlurmError& error : errors) {
    std::optional<StatusVerdict> verdict = verdict_of_number(error.number);
    if (!verdict) continue;
    verdict->what = fmt::format("HTTP {}, Slurm's error {}: {}", status, error.number, error.text);
    return verdict;
  }
  // A path or a version that is not there, or another server: nothing is known of the job.
  if (status == not_found) {
    StatusVerdict verdict =
        slurm_verdict(AttemptClass::permanent, Errc::unimplemented, "restd= names slurmrestd, or a proxy in front of it");
    verdict.what = fmt::format("HTTP 404: {}", printable(trim(body.substr(0, body.find('\n'))), 120));
    return verdict;
  }
  if (status == network_authentication) return slurm_verdict(AttemptClass::refresh_token, Errc::unauthenticated, token_advice);
  return std::nullopt;
}

}  // namespace

constexpr Service slurm_service = {
    .forbidden_hint = "the server, or a proxy in front of it, does not let this user ask",
    .not_found_hint = "squeue --me lists jobs",
    .own_verdict = verdict_of_slurmrestd,
    .lists_addresses = true,
};

Failure slurm_failure(const std::vector<SlurmError>& errors) {
  for (const SlurmError& error : errors) {
    const std::optional<StatusVerdict> verdict = verdict_of_number(error.number);
    if (verdict) return Failure(verdict->code, fmt::format("Slurm's error {}: {}", error.number, error.text)).with_hint(verdict->hint);
  }
  return Failure(Errc::unavailable, fmt::format("Slurm's error {}: {}", errors.front().number, errors.front().text));
}

}  // namespace rollcall
