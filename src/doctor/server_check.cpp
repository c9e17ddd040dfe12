// Checks the Rollcall service that is used instead of the clouds, if one is named: its token and the token's expiry.
#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/rules/token_end.hpp"
#include "call/runtime_impl.hpp"
#include "crypto/certificate.hpp"
#include "doctor/doctor_checks.hpp"
#include "fleet/client/remote_servers.hpp"

namespace rollcall {
namespace {

// The fault of a separate file with the servers' trust anchors. Empty if there is none, or no such file.
std::string authorities_fault(Runtime::Impl& impl, const std::string& path) {
  if (path.empty()) return {};
  constexpr std::size_t max_bytes = 1 << 20;
  const Result<std::string> text = impl.files->read(path, max_bytes);
  if (!text) return fmt::format("the CA file {}: {}", path_text(path), text.error().what());
  const Result<AuthorityFacts> facts = read_authorities(*text, impl.time->wall_now());
  if (!facts) return fmt::format("the CA file {} {}", path_text(path), facts.error().what());
  return facts->ended == facts->count ? fmt::format("the certificates of the CA file {} have ended", path_text(path)) : std::string();
}

}  // namespace

DoctorAnswer check_server(Call& call) {
  Runtime::Impl& impl = impl_of(call);
  DoctorChecks checks;
  const Result<std::shared_ptr<RemoteServers>> servers = RemoteServers::of(impl);
  if (!servers) {
    checks.push_back(failed_check("server", servers.error()));
    co_return checks;
  }
  if (!*servers) co_return checks;
  const ServerOptions& options = (*servers)->options();
  std::string found = fmt::format("{} is asked instead of the clouds", (*servers)->names());
  CheckOutcome outcome = CheckOutcome::pass;
  if (options.token_file.empty()) {
    found += ", without a token";
  } else {
    const std::shared_ptr<Credentials> credentials = (*servers)->credentials();
    const Result<AccessToken> token = co_await credentials->token(call);
    const std::optional<WallTime> end = token ? token_end(token->value.reveal()) : std::nullopt;
    found += fmt::format(", by the token file {}", path_text(options.token_file));
    if (!token) found += ", which holds no token that can be read";
    const bool has_ended = end && *end <= impl.time->wall_now();
    if (end) found += fmt::format(", {} {}", has_ended ? "which ended on" : "good until", format_rfc3339(*end));
    if (!token || has_ended) outcome = CheckOutcome::fail;
  }
  const std::string fault = authorities_fault(impl, options.ca_file);
  if (!fault.empty()) {
    found += "; " + fault;
    outcome = CheckOutcome::fail;
  }
  checks.emplace_back("server", outcome, std::move(found));
  co_return checks;
}

}  // namespace rollcall
