#include "resolvers/kubernetes/access/kubernetes_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "base/text.hpp"
#include "base/url.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/access/disables_http2.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

// Identities that persist between calls: the plugins with their credentials, and a pod's account. Each call reads the configuration again.
class KubernetesIdentities {
 public:
  /// Returns the same plugin for equal plans and accesses, as long as it is among the 64 most recently used.
  std::shared_ptr<ExecPlugin> plugin(const ExecPlan& plan, const std::shared_ptr<const ServerAccess>& access);
  std::shared_ptr<PodAccount> pod_account() { return pod_account_; }

 private:
  std::list<std::shared_ptr<ExecPlugin>> plugins_;  ///< most recently used first
  std::shared_ptr<PodAccount> pod_account_ = std::make_shared<PodAccount>();
};

std::shared_ptr<ExecPlugin> KubernetesIdentities::plugin(const ExecPlan& plan, const std::shared_ptr<const ServerAccess>& access) {
  constexpr std::size_t max = 64;
  const auto is_wanted = [&](const std::shared_ptr<ExecPlugin>& known) {
    const bool is_reached_alike = known->access() == access || (known->access() && access && *known->access() == *access);
    return is_reached_alike && known->plan() == plan;
  };
  const auto found = std::find_if(plugins_.begin(), plugins_.end(), is_wanted);
  if (found != plugins_.end()) {
    plugins_.splice(plugins_.begin(), plugins_, found);
  } else {
    plugins_.push_front(std::make_shared<ExecPlugin>(plan, access));
    if (plugins_.size() > max) plugins_.pop_back();
  }
  return plugins_.front();
}

namespace {

// The Runtime's identities.
KubernetesIdentities& kubernetes_identities(Runtime::Impl& impl) {
  if (!impl.kubernetes_identities) impl.kubernetes_identities = std::make_shared<KubernetesIdentities>();
  return *impl.kubernetes_identities;
}

Result<KubernetesServer> given_server(const Runtime::Impl& impl, const KubernetesOptions& options) {
  Result<Url> root = parse_kubernetes_root("api_server", options.api_server());
  if (!root) return root.error();
  KubernetesServer server;
  server.root = std::move(*root);
  server.context = "api_server, without a kubeconfig";
  server.namespace_name = "default";
  server.credentials = options.credentials();
  // A server with plain http on loopback is a proxy that adds its own credentials.
  if (!server.credentials && server.root.is_https) server.credentials = impl.credentials;
  if (disables_http2(*impl.environment)) {
    ServerAccess access;
    access.only_http1 = true;
    server.access = std::make_shared<const ServerAccess>(std::move(access));
  }
  return server;
}

// If the given context or file were ignored, another cluster than the intended one would answer.
Result<void> check_kubeconfig_is_read(const KubernetesOptions& options) {
  const bool is_within = options.executable_location() == ExecutableLocation::within_cluster;
  if (options.api_server().empty() && !is_within) return {};
  if (options.kubeconfig().empty() && options.context().empty()) return {};
  return Failure(Errc::invalid_argument, fmt::format("a {}, and none is read {}",
                                                     options.kubeconfig().empty() ? "context is of a kubeconfig" : "kubeconfig is given",
                                                     options.api_server().empty() ? "within the cluster" : "with api_server"))
      .with_hint("leave one of the two out");
}

Result<KubernetesServer> read_server(Runtime::Impl& impl, const KubernetesOptions& options) {
  const Environment& environment = *impl.environment;
  const Files& files = *impl.files;
  if (options.executable_location() == ExecutableLocation::within_cluster)
    return find_own_cluster(environment, files, kubernetes_identities(impl).pod_account());
  Result<std::optional<KubernetesServer>> configured = find_in_kubeconfig(environment, files, options);
  if (!configured) return configured.error();
  if (*configured) return std::move(**configured);
  if (options.executable_location() == ExecutableLocation::automatic && environment.get("KUBERNETES_SERVICE_HOST")) {
    if (!options.context().empty()) {
      return Failure(Errc::failed_precondition,
                     fmt::format("there is no kubeconfig to look up the context {} in", quoted(options.context(), 80)))
          .with_hint("name a kubeconfig; a pod's own cluster has no contexts");
    }
    return find_own_cluster(environment, files, kubernetes_identities(impl).pod_account());
  }
  const bool is_set = !environment.get("KUBECONFIG").value_or("").empty();
  return Failure(Errc::failed_precondition,
                 std::string("no Kubernetes cluster is configured: ") +
                     (is_set ? "KUBECONFIG names no file" : "KUBECONFIG is not set, there is no ~/.kube/config") +
                     std::string(options.executable_location() == ExecutableLocation::automatic
                                     ? ", and this is not a pod (KUBERNETES_SERVICE_HOST is not set)"
                                     : ""))
      .with_hint("name a kubeconfig, in KUBECONFIG or by kubeconfig=FILE in the target, or the API server by api_server=URL");
}

// True if a key of any user in the file takes a secret, or a plugin's environment may. A file of paths and programs holds none.
bool may_hold_secret(Runtime::Impl& impl, const std::string& path) {
  Result<std::string> text = impl.files->read(path, impl.limits.max_body_bytes);
  if (!text) return false;
  constexpr std::string_view keys[] = {"token", "password", "client-key-data", "auth-provider", "env"};
  const auto is_there = [&text](std::string_view key) {
    for (std::size_t at = text->find(key); at != std::string::npos; at = text->find(key, at + 1)) {
      const std::size_t end = at + key.size();
      const bool begins = at == 0 || std::string_view("\"' \t\n,{-").find((*text)[at - 1]) != std::string_view::npos;
      if (begins && end < text->size() && std::string_view("\"' \t:=").find((*text)[end]) != std::string_view::npos) return true;
    }
    return text->find('\0') != std::string::npos;  // UTF-16
  };
  const bool found = std::any_of(std::begin(keys), std::end(keys), is_there);
  wipe(text->data(), text->size());
  return found;
}

}  // namespace

Result<std::string> KubernetesServer::own_namespace() const {
  if (is_namespace(namespace_name)) return namespace_name;
  return Failure(Errc::invalid_argument, fmt::format("{}: {} is not a namespace", namespace_from, quoted(namespace_name, 80)))
      .with_hint("namespaces are of lower-case letters, digits and hyphens");
}

Result<Url> parse_kubernetes_root(std::string_view origin, std::string_view text) {
  return parse_api_root(origin, text, "the address of an API server");
}

asio::awaitable<Result<KubernetesServer>> find_kubernetes(Call& call, const KubernetesOptions& options) {
  Runtime::Impl& impl = impl_of(call);
  const Result<void> fine = check_kubeconfig_is_read(options);
  if (!fine) co_return fine.error();
  if (!options.api_server().empty()) co_return given_server(impl, options);
  const auto poll = [&impl, &options] { return read_server(impl, options); };
  Result<KubernetesServer> server = co_await read_when_there(call, poll);
  if (!server) co_return server;
  for (const std::string& path : server->configs) {
    if (is_open_unsaid(call, path) && may_hold_secret(impl, path)) warn_of_open_file(call, path);
    warn_of_other_writers(call, path);
  }
  for (const std::string& path : server->keys) warn_of_open_file(call, path);
  if (options.credentials()) {
    server->credentials = options.credentials();
  } else if (server->plugin) {
    server->credentials = kubernetes_identities(impl).plugin(*server->plugin, server->access);
  }
  if (server->access && server->access->skips_verification) {
    const std::string warning = fmt::format(
        "the certificate of {} is not verified (insecure-skip-tls-verify): an attacker in between can read the token and answer in its "
        "place",
        server->root.origin());
    impl.emit({.kind = EventKind::security_warning, .call = call.id(), .subject = warning});
  }
  co_return server;
}

}  // namespace rollcall
