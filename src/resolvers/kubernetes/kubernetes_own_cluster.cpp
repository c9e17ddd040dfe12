// The configuration of a program that runs in a pod. Source: client-go's InClusterConfig.
#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"

namespace rollcall {
namespace {

constexpr std::string_view account_folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
constexpr const char* outside_hint =
    "this is not a pod, or its service account is not mounted (automountServiceAccountToken); elsewhere use a kubeconfig, or api_server";

Failure no_own_cluster(std::string what) {
  return Failure(Errc::failed_precondition, "no configuration of a pod: " + std::move(what)).with_hint(outside_hint);
}

Result<std::string> account_file(const Files& files, std::string_view name) {
  const std::string path = std::string(account_folder).append(name);
  constexpr std::size_t max_bytes = 1 << 20;
  Result<std::string> content = files.read(path, max_bytes);
  if (!content) return no_own_cluster(content.error().what()).with_target(path);
  if (trim(*content).empty()) return no_own_cluster("the file is empty").with_target(path);
  return content;
}

}  // namespace

Result<KubernetesServer> find_own_cluster(const Environment& environment, const Files& files) {
  const std::string host = environment.get("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment.get("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty()) return no_own_cluster("KUBERNETES_SERVICE_HOST is not set");
  if (port.empty()) return no_own_cluster("KUBERNETES_SERVICE_PORT is not set");
  const bool needs_brackets = host.find_first_of(":%") != std::string::npos && !host.starts_with('[');
  Result<Url> root = parse_kubernetes_root("KUBERNETES_SERVICE_HOST and _PORT",
                                           fmt::format(fmt::runtime(needs_brackets ? "https://[{}]:{}" : "https://{}:{}"), host, port));
  if (!root) return root.error();
  Result<std::string> token = account_file(files, "token");
  if (!token) return token.error();
  wipe(token->data(), token->size());
  Result<std::string> authorities = account_file(files, "ca.crt");
  if (!authorities) return authorities.error();

  KubernetesServer server;
  server.root = std::move(*root);
  server.credentials = token_file(std::string(account_folder) + "token");
  ServerAccess access;
  access.authorities = std::move(*authorities);
  access.authorities_from = fmt::format("the CA file {}ca.crt", account_folder);
  server.access = std::make_shared<const ServerAccess>(std::move(access));
  server.name_space = trim(environment.get("POD_NAMESPACE").value_or(""));
  server.name_space_from = "POD_NAMESPACE";
  if (server.name_space.empty()) {
    const Result<std::string> own = account_file(files, "namespace");
    server.name_space = own ? std::string(trim(*own)) : "default";
    server.name_space_from = std::string(account_folder) + "namespace";
  }
  return server;
}

}  // namespace rollcall
