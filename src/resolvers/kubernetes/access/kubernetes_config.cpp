// Builds the server from kubeconfig files: the files, the context, and the features that are supported.
#include "base/path_text.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/proxy_url.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/access/disables_http2.hpp"
#include "resolvers/kubernetes/access/kubernetes_sign_in.hpp"
#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_kubeconfig = 1 << 20;
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
        .with_hint(
            "check the path, or make the file: gcloud container clusters get-credentials, kubectl config view --raw; that of a "
            "simulation ends with it: then unset the variable, or open a new shell");
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

// [facts: k8s-proxy-url] `socks5://` to Go is what `socks5h://` is to curl: the proxy looks the server's name up.
Secret<std::string> by_name(const Secret<std::string>& socks5) {
  constexpr std::string_view scheme = "socks5";
  std::string url;
  url.reserve(socks5.reveal().size() + 1);  // otherwise a copy of the password remains in memory
  url.append(scheme).append("h").append(socks5.reveal().substr(scheme.size()));
  return Secret<std::string>(std::move(url));
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
  access.proxy = proxy->scheme == ProxyScheme::socks5 ? by_name(cluster.proxy_url) : cluster.proxy_url;
  access.proxies_near_hosts = true;
  return {};
}

Result<void> add_cluster(const Files& files, const KubeCluster& cluster, ServerAccess& access) {
  access.skips_verification = cluster.skips_verification;
  if (cluster.skips_verification && (!cluster.authority_data.empty() || !cluster.authority_file.empty())) {  // as client-go
    return Failure(Errc::invalid_argument, fmt::format("the cluster {} ({}) has a certificate-authority, and insecure-skip-tls-verify",
                                                       quoted(cluster.name, 80), cluster.where))
        .with_hint("leave insecure-skip-tls-verify out: the authority is there to verify the server");
  }
  const Result<void> fine =
      check_one_source("cluster", cluster, "certificate-authority", !cluster.authority_data.empty(), !cluster.authority_file.empty());
  if (!fine) return fine;
  access.server_name = cluster.tls_server_name;
  access.authorities = cluster.authority_data;
  access.authorities_from = fmt::format("the certificate-authority-data of {} ({})", quoted(cluster.name, 80), cluster.where);
  if (!access.authorities.empty() || cluster.authority_file.empty()) return {};
  Result<std::string> pem = kubeconfig_pem(files, cluster.authority_file, "certificate-authority", cluster);
  if (!pem) return pem.error();
  if (trim(*pem).empty()) return Failure(Errc::invalid_argument, "the CA file is empty").with_target(path_text(cluster.authority_file));
  access.authorities = std::move(*pem);
  access.authorities_from = "the CA file " + path_text(cluster.authority_file);
  return {};
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
  if (variable->empty() && !home.empty()) paths.push_back(home + "/.kube/config");  // as client-go: `:` names no file at all
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
  // As client-go: files without anything in them are none, in a pod.
  const bool names_nothing = options.kubeconfig().empty() && options.context().empty();
  const bool may_be_pod = options.executable_location() == ExecutableLocation::automatic && environment.get("KUBERNETES_SERVICE_HOST");
  if (config.empty() && names_nothing && may_be_pod) return std::optional<KubernetesServer>();
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
  access.only_http1 = disables_http2(environment);
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
