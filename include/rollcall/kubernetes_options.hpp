// Which pods of a Kubernetes cluster are the tasks, and how they are found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class Credentials;

/// Where the program runs, which determines where the API server's address and credentials are found.
enum class ExecutableLocation {
  automatic,       ///< as kubectl: $KUBECONFIG, else ~/.kube/config, else as a pod of the cluster
  within_cluster,  ///< a pod: KUBERNETES_SERVICE_HOST and _PORT, and the service account's files
  off_cluster,     ///< $KUBECONFIG, else ~/.kube/config
};
/// `automatic`, `within_cluster` or `off_cluster`, regardless of case. Errors: invalid_argument.
Result<ExecutableLocation> parse_executable_location(std::string_view text);

/// The address of a pod that its task gets.
enum class PodAddress {
  host,  ///< status.hostIP, as upstream
  pod,   ///< status.podIP
};

/// The address family, for pods with addresses of both.
enum class AddressFamily { any, ipv4, ipv6 };  // any: the first that Kubernetes lists

/// The order of the pods as tasks 0, 1, 2 …
enum class PodOrder {
  automatic,  ///< by index where pods of a selector have one, those without one last, as people count: w-2 before w-10
  name,       ///< by name as text, as upstream: w-10 before w-2
  index,      ///< by index; a pod without an index, and an index without a pod, are failures; a StatefulSet may begin with any index
};

class KubernetesOptions {
 public:
  using Selectors = std::vector<std::string>;
  using LabelMapping = std::vector<std::pair<std::string, Selectors>>;

  /// All namespaces, job `worker` of the pods with `job-name=tensorflow`.
  KubernetesOptions() {}
  explicit KubernetesOptions(LabelMapping mapping) : mapping_(std::move(mapping)) {}

  // clang-format off
  /// Jobs and, for each, label selectors; their pods in this order. A pod that two selectors match is listed twice.
  KubernetesOptions& job_to_label_mapping(LabelMapping v) { mapping_ = std::move(v); return *this; }
  /// Adds one job.
  KubernetesOptions& job(std::string name, Selectors selectors) { mapping_.emplace_back(std::move(name), std::move(selectors)); return *this; }
  /// The pods of one workload, by a word for its kind as kubectl takes it (`job`, `jobset`, `lws`, `job.batch.volcano.sh`) and its name,
  /// instead of jobs by labels. Its roles are the jobs.
  KubernetesOptions& workload(std::string kind, std::string name) { workload_kind_ = std::move(kind); workload_name_ = std::move(name); return *this; }
  KubernetesOptions& port(std::uint16_t v) { port_ = v; return *this; }
  KubernetesOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  KubernetesOptions& executable_location(ExecutableLocation v) { location_ = v; return *this; }
  /// The API server's address, instead of the one in the configuration; upstream's override_client. https, or http on loopback
  /// (`kubectl proxy`). The token is that of credentials(), else over https the Runtime's.
  KubernetesOptions& api_server(std::string v) { api_server_ = std::move(v); return *this; }
  /// The token to send, instead of the kubeconfig's (its token, tokenFile, exec plugin, auth-provider, name and password are not read) or
  /// the pod's own. A client certificate and an impersonation of the kubeconfig are still used.
  KubernetesOptions& credentials(std::shared_ptr<Credentials> v) { credentials_ = std::move(v); return *this; }
  /// One namespace; empty: all of them; `.`: the kubeconfig context's, or the pod's own.
  KubernetesOptions& namespace_name(std::string v) { namespace_ = std::move(v); return *this; }
  /// Reads this kubeconfig only. With api_server() or within_cluster, which read none, the result is invalid_argument; the same holds for
  /// context().
  KubernetesOptions& kubeconfig(std::string v) { kubeconfig_ = std::move(v); return *this; }
  /// Of the kubeconfig; default: its current-context.
  KubernetesOptions& context(std::string v) { context_ = std::move(v); return *this; }
  KubernetesOptions& address(PodAddress v) { address_ = v; return *this; }
  KubernetesOptions& family(AddressFamily v) { family_ = v; return *this; }
  KubernetesOptions& order(PodOrder v) { order_ = v; return *this; }
  /// Members say how many parts their job has (MemberPart::count): for pods that are meant to be a whole job. Default: false, since
  /// selectors may choose some parts on purpose.
  KubernetesOptions& counts_parts(bool v) { counts_parts_ = v; return *this; }
  // clang-format on

  const LabelMapping& job_to_label_mapping() const { return mapping_; }
  const std::string& workload_kind() const { return workload_kind_; }
  const std::string& workload_name() const { return workload_name_; }
  std::uint16_t port() const { return port_; }
  const std::string& rpc_layer() const { return rpc_layer_; }
  ExecutableLocation executable_location() const { return location_; }
  const std::string& api_server() const { return api_server_; }
  const std::shared_ptr<Credentials>& credentials() const { return credentials_; }
  const std::string& namespace_name() const { return namespace_; }
  const std::string& kubeconfig() const { return kubeconfig_; }
  const std::string& context() const { return context_; }
  PodAddress address() const { return address_; }
  AddressFamily family() const { return family_; }
  PodOrder order() const { return order_; }
  bool counts_parts() const { return counts_parts_; }

 private:
  LabelMapping mapping_;
  std::string workload_kind_;
  std::string workload_name_;
  std::uint16_t port_ = default_worker_port;
  std::string rpc_layer_ = "grpc";
  ExecutableLocation location_ = ExecutableLocation::automatic;
  std::string api_server_;
  std::shared_ptr<Credentials> credentials_;
  std::string namespace_;
  std::string kubeconfig_;
  std::string context_;
  PodAddress address_ = PodAddress::host;
  AddressFamily family_ = AddressFamily::any;
  PodOrder order_ = PodOrder::automatic;
  bool counts_parts_ = false;
};

}  // namespace rollcall
