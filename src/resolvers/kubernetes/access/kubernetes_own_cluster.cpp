// The configuration of a program that runs in a pod. Source: client-go's InClusterConfig.
#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

namespace rollcall {
Result<KubernetesServer> find_own_cluster(const Environment& environment, const Files& files, std::shared_ptr<PodAccount> account) {
  const std::string host = environment.get("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment.get("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty()) return no_own_cluster("KUBERNETES_SERVICE_HOST is not set");
  if (port.empty()) return no_own_cluster("KUBERNETES_SERVICE_PORT is not set");
  const bool needs_brackets = host.find_first_of(":%") != std::string::npos && !host.starts_with('[');
  Result<Url> root = parse_kubernetes_root("KUBERNETES_SERVICE_HOST and _PORT",
                                           fmt::format(fmt::runtime(needs_brackets ? "https://[{}]:{}" : "https://{}:{}"), host, port));
  if (!root) return root.error();
  if (!account) account = std::make_shared<PodAccount>();
  if (const Result<void> known = account->read(environment, files); !known) return known.error();

  KubernetesServer server;
  server.root = std::move(*root);
  server.access = account->access();
  server.credentials = std::move(account);
  server.context = "the pod's own service account, by KUBERNETES_SERVICE_HOST";
  server.namespace_name = trim(environment.get("POD_NAMESPACE").value_or(""));
  server.namespace_from = "POD_NAMESPACE";
  if (server.namespace_name.empty()) {
    const Result<std::string> own = read_account_file(files, "namespace");
    server.namespace_name = own ? std::string(trim(*own)) : "default";
    server.namespace_from = std::string(PodAccount::folder) + "namespace";
  }
  return server;
}

}  // namespace rollcall
