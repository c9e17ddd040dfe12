#include "resolvers/kubernetes/access/kubernetes_sign_in.hpp"

#include <fmt/format.h>

#include "auth/wire/token.hpp"
#include "base/field_text.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_pem = 1 << 20;
constexpr const char* leave_one_out = "leave one of the two out";

Failure refused_user(const KubeUser& user, std::string_view what) {
  return Failure(Errc::invalid_argument, fmt::format("the user {} ({}) has {}", quoted(user.name, 80), user.where, what));
}

// `keys`: the files from which private keys were read.
Result<void> add_identity(const Files& files, const KubeUser& user, bool signs_in_otherwise, ServerAccess& access,
                          std::vector<std::string>& keys) {
  const bool has_certificate = !user.certificate_data.empty() || !user.certificate_file.empty();
  const bool has_key = !user.key_data.empty() || !user.key_file.empty();
  if (!has_certificate && (!has_key || signs_in_otherwise)) return {};  // as client-go, which does not look at a key alone
  if (has_certificate != has_key)
    return refused_user(user, has_key ? "a client-key but no client-certificate" : "a client-certificate but no client-key");
  Result<void> fine = check_one_source("user", user, "client-certificate", !user.certificate_data.empty(), !user.certificate_file.empty());
  if (fine) fine = check_one_source("user", user, "client-key", !user.key_data.empty(), !user.key_file.empty());
  if (!fine) return fine;
  access.identity_from = fmt::format("the client certificate of {} ({})", quoted(user.name, 80), user.where);
  access.certificate = user.certificate_data;
  if (access.certificate.empty()) {
    Result<std::string> pem = kubeconfig_pem(files, user.certificate_file, "client-certificate", user);
    if (!pem) return pem.error();
    access.certificate = std::move(*pem);
  }
  access.key = user.key_data;
  if (access.key.empty()) {
    Result<std::string> pem = kubeconfig_pem(files, user.key_file, "client-key", user);
    if (!pem) return pem.error();
    keys.push_back(user.key_file);
    access.key = Secret<std::string>(std::move(*pem));
  }
  return {};
}

// As client-go: a token or client certificate of the user's entry takes precedence over the plugin.
Result<void> add_plugin(const KubeCluster& cluster, const KubeUser& user, const ServerAccess& access, KubernetesServer& server) {
  if (!user.exec || server.credentials || !access.certificate.empty()) return {};
  ExecPlan plan;
  plan.exec = *user.exec;
  if (plan.exec.interactive_mode.empty() && plan.exec.api_version.ends_with("/v1beta1")) plan.exec.interactive_mode = "IfAvailable";
  plan.user = fmt::format("the user {} ({})", quoted(user.name, 80), user.where);
  plan.cluster.server = cluster.server;
  plan.cluster.tls_server_name = cluster.tls_server_name;
  plan.cluster.skips_verification = cluster.skips_verification;
  plan.cluster.authorities = access.authorities;
  plan.cluster.proxy_url = cluster.proxy_url.reveal();
  plan.cluster.disables_compression = cluster.disables_compression;
  plan.cluster.config = cluster.exec_config;
  if (const Result<void> fine = check_exec_plan(plan); !fine) return fine.error();
  server.plugin = std::move(plan);
  return {};
}

// [facts: k8s-auth-providers]
Failure not_supported(const KubeUser& user) {
  Failure failure(Errc::unimplemented, fmt::format("the user {} ({}) needs an auth-provider, {}: that is not supported",
                                                   quoted(user.name, 80), user.where, quoted(user.auth_provider, 80)));
  if (user.auth_provider == "gcp")
    return failure.with_hint(
        "kubectl has none since 1.26 either: install gke-gcloud-auth-plugin, and gcloud container clusters get-credentials rewrites the "
        "user with it as its exec plugin");
  if (user.auth_provider == "azure")
    return failure.with_hint(
        "kubectl has none since 1.26 either: install kubelogin, and kubelogin convert-kubeconfig rewrites the user with it as its exec "
        "plugin");
  return failure.with_hint(
      "give a token of its own (token_file, credentials), or use a context with a token, a token file, an exec plugin or a client "
      "certificate: kubectl create token ACCOUNT");
}

// As client-go: either a name with a password or a token, but not both. A password without a name is not sent.
Result<void> add_login(const KubeUser& user, KubernetesServer& server) {
  const bool is_fine =
      user.username.find(':') == std::string::npos && !field_value_fault(user.username) && !field_value_fault(user.password.reveal());
  if (!is_fine) return refused_user(user, "a username with a colon in it, or control characters in it or in the password");
  server.credentials = user_login(user);
  return {};
}

Result<void> add_token(const KubeUser& user, KubernetesServer& server) {
  const bool has_token = !user.token.empty() || !user.token_file.empty();
  const bool is_oidc = user.auth_provider == "oidc";
  if (!user.auth_provider.empty() && user.exec) return refused_user(user, "an auth-provider, and an exec plugin").with_hint(leave_one_out);
  if (!user.auth_provider.empty() && !is_oidc) return not_supported(user);
  if (!user.username.empty() && has_token) return refused_user(user, "a token, and a username").with_hint(leave_one_out);
  if (!user.password.empty() && !user.token.empty()) return refused_user(user, "a token, and a password").with_hint(leave_one_out);
  if (!user.username.empty()) return add_login(user, server);
  Secret<std::string> token;
  if (!user.token.empty()) {
    Result<Secret<std::string>> own =
        parse_token_text(fmt::format("the entry of user {} ({})", quoted(user.name, 80), user.where), user.token.reveal());
    if (!own && user.token_file.empty()) return own.error();
    if (own) token = std::move(*own);
  }
  if (!user.token_file.empty()) {
    server.credentials = token.empty() ? token_file(user.token_file) : user_token_file(user, std::move(token));
  } else if (!token.empty()) {
    server.credentials = user_token(user, std::move(token));
  } else if (is_oidc) {
    server.credentials = user_id_token(user);
  }
  return {};
}

}  // namespace

Result<std::string> kubeconfig_pem(const Files& files, const std::string& path, std::string_view what, const KubeEntry& entry) {
  Result<std::string> content = files.read(path, max_pem);
  if (content) return content;
  Failure failure = content.error();
  failure.with_what(fmt::format("{} of {} ({}): {}", what, quoted(entry.name, 80), entry.where, failure.what()));
  return failure;
}

Result<void> check_one_source(std::string_view kind, const KubeEntry& entry, std::string_view field, bool has_data, bool has_file) {
  if (!has_data || !has_file) return {};
  return Failure(Errc::invalid_argument,
                 fmt::format("the {} {} ({}) has a {}, and {}-data", kind, quoted(entry.name, 80), entry.where, field, field))
      .with_hint("leave one of the two out: kubectl refuses both, too");
}

Result<void> add_user(const Files& files, const KubeCluster& cluster, const KubeUser& user, bool has_own_token, KubernetesServer& server,
                      ServerAccess& access) {
  if (!has_own_token) {
    if (const Result<void> added = add_token(user, server); !added) return added.error();
  }
  if (const Result<void> added = add_impersonation(user, server.headers); !added) return added.error();
  const bool signs_in_otherwise = has_own_token || server.credentials || user.exec;
  if (const Result<void> added = add_identity(files, user, signs_in_otherwise, access, server.keys); !added) return added.error();
  return has_own_token ? Result<void>() : add_plugin(cluster, user, access, server);
}

}  // namespace rollcall
