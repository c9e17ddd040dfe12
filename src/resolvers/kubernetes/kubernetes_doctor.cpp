// Checks of a Kubernetes target: the file, context and server, the user and the kind of credentials, and their consistency. Reads files,
// and runs the user's plugin for its token; sends no request.
#include "resolvers/kubernetes/kubernetes_doctor.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/rules/doctor_checks.hpp"
#include "call/rules/token_end.hpp"
#include "call/runtime_impl.hpp"
#include "crypto/certificate.hpp"
#include "resolvers/kubernetes/access/kubernetes_rights.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

namespace rollcall {
namespace {

constexpr const char* renew_advice = "it must be renewed, unless this machine's clock is wrong";

std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string until_text(WallTime end, WallTime now) {
  return fmt::format("good until {} ({})", format_rfc3339(end), coarse_duration_text(saturating_difference(end, now)));
}

// The credentials in use. The first kind takes precedence over the others.
std::string means_of(const KubernetesServer& server) {
  const bool has_certificate = server.access && !server.access->certificate.empty();
  std::string means = server.credentials ? server.credentials->describe() : std::string();
  if (has_certificate) means = joined({means, server.access->identity_from});
  return means;
}

DoctorCheck check_identity(const KubernetesServer& server) {
  const std::string means = means_of(server);
  if (means.empty()) {
    return DoctorCheck("credentials", CheckOutcome::warning,
                       joined({server.user.empty() ? "the context names no user" : server.user, "nothing is presented to the server"}),
                       "give the user a token, a client certificate or an exec plugin, or name another context");
  }
  const std::string shown = server.user.empty() || means.find(server.user) != std::string::npos ? means : server.user + ", by " + means;
  const std::string as =
      server.headers.get("Impersonate-User") ? fmt::format("as {}", printable(*server.headers.get("Impersonate-User"), 100)) : "";
  return DoctorCheck("credentials", CheckOutcome::pass, joined({shown, as}));
}

// The client certificate: its dates, and its key.
void check_certificate(const ServerAccess& access, WallTime now, DoctorChecks& checks) {
  if (access.certificate.empty()) return;
  const std::string name = "client certificate";
  const Result<CertificateFacts> facts = read_certificate(access.certificate);
  if (!facts) {
    checks.emplace_back(name, CheckOutcome::fail, fmt::format("{} {}", access.identity_from, facts.error().what()));
    return;
  }
  const std::string whose = fmt::format("{}: of '{}', issued by '{}'", access.identity_from, facts->name, facts->issuer);
  const Result<bool> fits = is_key_of(access.key.reveal(), access.certificate);
  const std::string fault = date_fault(*facts, now);
  if (!fits) {
    checks.emplace_back(name, CheckOutcome::fail, fmt::format("{}; its key {}", whose, fits.error().what()));
  } else if (!*fits) {
    checks.emplace_back(name, CheckOutcome::fail, fmt::format("{}; its key is not the certificate's", whose),
                        "client-certificate and client-key must be made together");
  } else if (!fault.empty()) {
    checks.emplace_back(name, CheckOutcome::fail, fmt::format("{}; the client certificate {}", whose, fault), renew_advice);
  } else {
    checks.emplace_back(name, CheckOutcome::pass, fmt::format("{}, with its key, {}", whose, until_text(facts->ends, now)));
  }
}

void check_authorities(const KubernetesServer& server, WallTime now, DoctorChecks& checks) {
  const std::string name = "authority";
  const ServerAccess* const access = server.access.get();
  if (access && access->skips_verification) {
    checks.emplace_back(name, CheckOutcome::warning, "the server is not verified: insecure-skip-tls-verify",
                        "name its certificate-authority");
    return;
  }
  if (!access || access->authorities.empty()) return;  // the system's authorities: the handshake checks them
  const Result<AuthorityFacts> facts = read_authorities(access->authorities, now);
  if (!facts) {
    checks.emplace_back(name, CheckOutcome::fail, fmt::format("{} {}", access->authorities_from, facts.error().what()));
    return;
  }
  const std::string found = fmt::format("{}, {} certificate{}", access->authorities_from, facts->count, facts->count == 1 ? "" : "s");
  if (facts->ended == 0) {
    checks.emplace_back(name, CheckOutcome::pass, found);
  } else {
    checks.emplace_back(name, facts->ended == facts->count ? CheckOutcome::fail : CheckOutcome::warning,
                        fmt::format("{}; {} of them ended", found, facts->ended), renew_advice);
  }
}

DoctorAnswer check_kubernetes_settings(Call& call, const KubernetesOptions& options) {
  DoctorChecks checks;
  const Result<KubernetesServer> server = co_await find_kubernetes(call, options);
  if (!server && server.error().code() == Errc::cancelled) co_return server.error();
  if (!server) {
    checks.push_back(failed_check("kubeconfig", server.error()));
    co_return checks;
  }
  const WallTime now = impl_of(call).time->wall_now();
  checks.emplace_back("kubeconfig", CheckOutcome::pass,
                      joined({server->context, server->cluster, "server " + printable(server->root.without_query())}));
  check_authorities(*server, now, checks);
  checks.push_back(check_identity(*server));
  if (server->access) check_certificate(*server->access, now, checks);
  co_return checks;
}

DoctorAnswer check_kubernetes_token(Call& call, const KubernetesOptions& options) {
  DoctorChecks checks;
  const Result<KubernetesServer> server = co_await find_kubernetes(call, options);
  if (!server) co_return checks;  // the check "kubeconfig" has failed
  if (!server->credentials) {
    checks.push_back(skipped_check("token", "none is sent"));
    co_return checks;
  }
  const Result<AccessToken> token = co_await server->credentials->token(call);
  if (!token && token.error().code() == Errc::cancelled) co_return token.error();
  if (!token) {
    checks.push_back(failed_check("token", token.error()));
    co_return checks;
  }
  const WallTime now = impl_of(call).time->wall_now();
  const std::string from = "from " + server->credentials->describe();
  const std::optional<WallTime> end = token->expires_at ? token->expires_at : token_end(token->value.reveal());
  if (end && *end <= now) {
    checks.emplace_back(
        "token", CheckOutcome::fail,
        fmt::format("{}, which ended on {} ({} ago)", from, format_rfc3339(*end), coarse_duration_text(saturating_difference(now, *end))),
        renew_advice);
  } else {
    checks.emplace_back("token", CheckOutcome::pass,
                        joined({from, end ? until_text(*end, now) : "which does not say until when it is good"}));
  }
  // A certificate from a plugin is not in the settings, so it is checked here.
  const bool is_own = token->access && (!server->access || token->access->certificate != server->access->certificate);
  if (is_own) check_certificate(*token->access, now, checks);
  co_return checks;
}

// `options` live as long as the subject, which outlives its checks.
class KubernetesSubject final : public DoctorSubject {
 public:
  explicit KubernetesSubject(KubernetesOptions options) : options_(std::move(options)) {}

  asio::awaitable<Result<HttpRequest>> find(Call& call) const override {
    Result<KubernetesServer> server = co_await find_kubernetes(call, options_);
    if (!server) co_return server.error();
    HttpRequest request;
    request.url = std::move(server->root);
    request.access = server->access;
    co_return request;
  }
  DoctorAnswer check_settings(Call& call) const override { return check_kubernetes_settings(call, options_); }
  DoctorAnswer check_token(Call& call) const override { return check_kubernetes_token(call, options_); }
  DoctorAnswer check_permissions(Call& call) const override { return check_rbac(call, options_); }
  std::vector<std::string> files(const Environment& environment) const override {
    const Result<std::vector<std::string>> kubeconfigs = kubeconfig_paths(environment, options_);
    return kubeconfigs ? *kubeconfigs : std::vector<std::string>();  // the look-up of the server reports why there are none
  }

 private:
  KubernetesOptions options_;
};

}  // namespace

Result<std::shared_ptr<const DoctorSubject>> doctor_kubernetes(const Runtime&, const Target& target) {
  Result<KubernetesOptions> options = kubernetes_options(target);
  if (!options) return options.error();
  std::shared_ptr<const DoctorSubject> subject = std::make_shared<KubernetesSubject>(std::move(*options));
  return subject;
}

}  // namespace rollcall
