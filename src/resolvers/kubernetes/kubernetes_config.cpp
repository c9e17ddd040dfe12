// Builds the server from kubeconfig files: the files, the context, and the features that are supported.
#include "base/path_text.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"

#include <fmt/format.h>

#include "auth/wire/token.hpp"
#include "base/field_text.hpp"
#include "base/proxy_url.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/wire/kubeconfig.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_kubeconfig = 1 << 20;
constexpr std::size_t max_pem = 1 << 20;
constexpr const char* kubeconfig_variable = "KUBECONFIG";

class ConfigFiles {
 public:
  std::vector<std::string> paths;
  bool is_required = false;  ///< named by the user: at least one must exist
  std::string named_by;
};

Result<ConfigFiles> config_files(const Environment& environment, const KubernetesOptions& options) {
  ConfigFiles files;
  Result<std::vector<std::string>> paths = kubeconfig_paths(environment, options);
  if (!paths) return paths.error();
  files.paths = std::move(*paths);
  const bool is_option = !options.kubeconfig().empty();
  const std::string variable = environment.get(kubeconfig_variable).value_or("");
  const bool is_variable = variable.find_first_not_of(':') != std::string::npos;
  files.is_required = is_option || is_variable;
  files.named_by = is_option ? "the kubeconfig option" : is_variable ? kubeconfig_variable : "~/.kube/config, since KUBECONFIG is not set";
  return files;
}

// None if no file exists and the user named none. `found`: the files that exist.
Result<std::optional<Kubeconfig>> read_configs(const Files& files, const ConfigFiles& wanted, std::vector<std::string>& found) {
  std::optional<Kubeconfig> merged;
  for (const std::string& path : wanted.paths) {
    Result<std::string> text = files.read(path, max_kubeconfig);
    if (!text && text.error().code() == Errc::not_found) continue;
    if (!text) {
      Failure failure = text.error();
      failure.with_what(fmt::format("the kubeconfig {}: {}", path_text(path), failure.what()));
      return failure;
    }
    Result<Kubeconfig> config = parse_kubeconfig(path, *text);
    wipe(text->data(), text->size());
    if (!config) return config.error();
    found.push_back(path);
    if (!merged) merged.emplace();
    merged->merge(std::move(*config));
  }
  if (!merged && wanted.is_required) {
    std::string paths;
    for (const std::string& path : wanted.paths) paths += (paths.empty() ? "" : ", ") + path_text(path, 200);
    return Failure(Errc::not_found,
                   fmt::format("{} names {}, which {} not exist", wanted.named_by, paths, wanted.paths.size() == 1 ? "does" : "do"))
        .with_hint("check the path, or make the file: gcloud container clusters get-credentials, kubectl config view --raw");
  }
  return merged;
}

template <class Entry>
std::string entry_names(const std::vector<Entry>& entries) {
  std::string names;
  for (const Entry& entry : entries) {
    if (names.size() < 200) names += (names.empty() ? "" : ", ") + printable(entry.name, 80);
  }
  return names.empty() ? "none" : names;
}

Result<std::string> pem_file(const Files& files, const std::string& path, std::string_view what, const KubeEntry& entry) {
  Result<std::string> content = files.read(path, max_pem);
  if (content) return content;
  Failure failure = content.error();
  failure.with_what(fmt::format("{} of {} ({}): {}", what, quoted(entry.name, 80), entry.where, failure.what()));
  return failure;
}

// The proxy's URL may hold a password, hence messages do not show it.
Result<void> add_proxy(const KubeCluster& cluster, const Url& server, ServerAccess& access) {
  if (cluster.proxy_url.empty()) return {};
  if (!server.is_https) {
    return Failure(Errc::unimplemented,
                   fmt::format("the cluster {} ({}) has a proxy-url for plain http", quoted(cluster.name, 80), cluster.where))
        .with_hint("proxies are asked for a tunnel to https only");
  }
  access.proxy_from = fmt::format("the proxy-url of {} ({})", quoted(cluster.name, 80), cluster.where);
  const Result<ProxyUrl> proxy = ProxyUrl::parse(cluster.proxy_url.reveal(), access.proxy_from);
  if (!proxy) return proxy.error();
  access.proxy = cluster.proxy_url;
  return {};
}

Result<void> add_cluster(const Files& files, const KubeCluster& cluster, ServerAccess& access) {
  access.skips_verification = cluster.skips_verification;
  if (cluster.skips_verification && (!cluster.authority_data.empty() || !cluster.authority_file.empty())) {  // as client-go
    return Failure(Errc::invalid_argument, fmt::format("the cluster {} ({}) has a certificate-authority, and insecure-skip-tls-verify",
                                                       quoted(cluster.name, 80), cluster.where))
        .with_hint("leave insecure-skip-tls-verify out: the authority is there to verify the server");
  }
  access.server_name = cluster.tls_server_name;
  access.authorities = cluster.authority_data;
  access.authorities_from = fmt::format("the certificate-authority-data of {} ({})", quoted(cluster.name, 80), cluster.where);
  if (!access.authorities.empty() || cluster.authority_file.empty()) return {};
  Result<std::string> pem = pem_file(files, cluster.authority_file, "certificate-authority", cluster);
  if (!pem) return pem.error();
  if (trim(*pem).empty()) return Failure(Errc::invalid_argument, "the CA file is empty").with_target(path_text(cluster.authority_file));
  access.authorities = std::move(*pem);
  access.authorities_from = "the CA file " + path_text(cluster.authority_file);
  return {};
}

// `keys`: the files from which private keys were read.
Result<void> add_identity(const Files& files, const KubeUser& user, ServerAccess& access, std::vector<std::string>& keys) {
  const bool has_certificate = !user.certificate_data.empty() || !user.certificate_file.empty();
  const bool has_key = !user.key_data.empty() || !user.key_file.empty();
  if (!has_certificate && !has_key) return {};
  if (has_certificate != has_key) {
    return Failure(Errc::invalid_argument,
                   fmt::format("the user {} ({}) has {}", quoted(user.name, 80), user.where,
                               has_key ? "a client-key but no client-certificate" : "a client-certificate but no client-key"));
  }
  access.identity_from = fmt::format("the client certificate of {} ({})", quoted(user.name, 80), user.where);
  access.certificate = user.certificate_data;
  if (access.certificate.empty()) {
    Result<std::string> pem = pem_file(files, user.certificate_file, "client-certificate", user);
    if (!pem) return pem.error();
    access.certificate = std::move(*pem);
  }
  access.key = user.key_data;
  if (access.key.empty()) {
    Result<std::string> pem = pem_file(files, user.key_file, "client-key", user);
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

Failure not_supported(const KubeUser& user) {
  Failure failure(Errc::unimplemented,
                  fmt::format("the user {} ({}) needs {}: that is not supported", quoted(user.name, 80), user.where, user.unsupported));
  if (user.auth_provider == "gcp")
    return failure.with_hint(
        "kubectl has none since 1.26 either: gcloud container clusters get-credentials rewrites the user with an exec plugin");
  if (user.auth_provider == "azure")
    return failure.with_hint("kubectl has none since 1.26 either: kubelogin convert-kubeconfig rewrites the user with an exec plugin");
  return failure.with_hint(
      "give a token of its own (token_file, credentials), or use a context with a token, a token file, an exec plugin or a client "
      "certificate: kubectl create token ACCOUNT");
}

// As client-go: either a name with a password or a token, but not both. A password without a name is ignored.
Result<void> add_login(const KubeUser& user, KubernetesServer& server) {
  const auto refuse = [&user](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("the user {} ({}) has {}", quoted(user.name, 80), user.where, what));
  };
  if (!user.token.empty() || !user.token_file.empty()) return refuse("a token, and a username").with_hint("leave one of the two out");
  const bool is_fine =
      user.username.find(':') == std::string::npos && !field_value_fault(user.username) && !field_value_fault(user.password.reveal());
  if (!is_fine) return refuse("a username with a colon in it, or control characters in it or in the password");
  server.credentials = user_login(user);
  return {};
}

Result<void> add_token(const KubeUser& user, KubernetesServer& server) {
  if (!user.unsupported.empty()) return not_supported(user);
  if (!user.username.empty()) return add_login(user, server);
  if (!user.token_file.empty()) {
    server.credentials = token_file(user.token_file);
  } else if (!user.token.empty()) {
    Result<Secret<std::string>> token =
        parse_token_text(fmt::format("the entry of user {} ({})", quoted(user.name, 80), user.where), user.token.reveal());
    if (!token) return token.error();
    server.credentials = user_token(user, std::move(*token));
  }
  return {};
}

// A token that the caller gives replaces the file's token and plugin, which are then not read.
Result<void> add_user(const Files& files, const KubeCluster& cluster, const KubeUser& user, bool has_own_token, KubernetesServer& server,
                      ServerAccess& access) {
  if (!has_own_token) {
    if (const Result<void> added = add_token(user, server); !added) return added.error();
  }
  if (const Result<void> added = add_impersonation(user, server.headers); !added) return added.error();
  if (const Result<void> added = add_identity(files, user, access, server.keys); !added) return added.error();
  return has_own_token ? Result<void>() : add_plugin(cluster, user, access, server);
}

Failure no_such(std::string_view kind, const std::string& name, const std::string& of, const std::string& there_are) {
  return Failure(Errc::not_found, fmt::format("the kubeconfig has no {} {}{}; it has: {}", kind, quoted(name, 80), of, there_are))
      .with_hint("kubectl config get-contexts shows what there is");
}

}  // namespace

Result<std::vector<std::string>> kubeconfig_paths(const Environment& environment, const KubernetesOptions& options) {
  std::vector<std::string> paths;
  if (!options.kubeconfig().empty()) {
    const Result<void> fine = check_path("the kubeconfig option", options.kubeconfig());
    if (!fine) return fine.error();
    paths.push_back(options.kubeconfig());
    return paths;
  }
  // Checked before the text is split at colons, since YAML has colons too.
  const Result<std::string> variable = path_variable(environment, kubeconfig_variable);
  if (!variable) return variable.error();
  for (const std::string_view path : split(*variable, ':')) {
    if (!path.empty()) paths.emplace_back(path);
  }
  const std::string home = environment.get("HOME").value_or("");
  if (paths.empty() && !home.empty()) paths.push_back(home + "/.kube/config");
  return paths;
}

Result<std::optional<KubernetesServer>> find_in_kubeconfig(const Environment& environment, const Files& files,
                                                           const KubernetesOptions& options) {
  const Result<ConfigFiles> found = config_files(environment, options);
  if (!found) return found.error();
  const ConfigFiles& wanted = *found;
  KubernetesServer server;
  const Result<std::optional<Kubeconfig>> read = read_configs(files, wanted, server.configs);
  if (!read) return read.error();
  if (!*read) return std::optional<KubernetesServer>();
  const Kubeconfig& config = **read;
  const std::string& name = options.context().empty() ? config.current_context : options.context();
  if (name.empty()) {
    return Failure(Errc::failed_precondition, "the kubeconfig has no current-context; its contexts: " + entry_names(config.contexts))
        .with_target(path_text(wanted.paths.front()))
        .with_hint("name one with context, or kubectl config use-context");
  }
  const KubeContext* const context = config.context(name);
  if (!context) return no_such("context", name, "", entry_names(config.contexts));
  const std::string of_context = fmt::format(", which context {} ({}) names", quoted(name, 80), context->where);
  const KubeCluster* const cluster = config.cluster(context->cluster);
  if (!cluster) return no_such("cluster", context->cluster, of_context, entry_names(config.clusters));
  const KubeUser* const user = context->user.empty() ? nullptr : config.user(context->user);
  if (!user && !context->user.empty()) return no_such("user", context->user, of_context, entry_names(config.users));

  Result<Url> root =
      parse_kubernetes_root(fmt::format("the server of cluster {} ({})", quoted(cluster->name, 80), cluster->where), cluster->server);
  if (!root) return root.error();
  server.root = std::move(*root);
  server.context = fmt::format("context {} ({}), by {}", quoted(name, 80), context->where, wanted.named_by);
  server.cluster = fmt::format("cluster {} ({})", quoted(cluster->name, 80), cluster->where);
  if (user) server.user = fmt::format("user {} ({})", quoted(user->name, 80), user->where);
  server.namespace_name = context->namespace_name.empty() ? "default" : context->namespace_name;
  server.namespace_from = fmt::format("the namespace of context {} ({})", quoted(name, 80), context->where);
  ServerAccess access;
  if (const Result<void> added = add_cluster(files, *cluster, access); !added) return added.error();
  if (const Result<void> added = add_proxy(*cluster, server.root, access); !added) return added.error();
  if (user) {
    if (const Result<void> added = add_user(files, *cluster, *user, options.credentials() != nullptr, server, access); !added)
      return added.error();
    if (user->exec && !server.plugin) server.user += ", whose exec plugin is not run, since what it presents otherwise comes first";
  }
  server.access = std::make_shared<const ServerAccess>(std::move(access));
  return std::optional<KubernetesServer>(std::move(server));
}

}  // namespace rollcall
