// Pods of a Kubernetes cluster. Source: tf.distribute.cluster_resolver.KubernetesClusterResolver; Kubernetes API v1.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// Where the program runs, and with that where the API server's address and credentials are found.
enum class ExecutableLocation {
  automatic,       ///< as kubectl: $KUBECONFIG, else ~/.kube/config, else as a pod of the cluster
  within_cluster,  ///< a pod: KUBERNETES_SERVICE_HOST and _PORT, and the service account's files
  off_cluster,     ///< $KUBECONFIG, else ~/.kube/config
};
/// `automatic`, `within_cluster` or `off_cluster`, regardless of case. Errors: invalid_argument.
Result<ExecutableLocation> parse_executable_location(std::string_view text);

/// Which of a pod's addresses is its task's.
enum class PodAddress {
  host,  ///< status.hostIP, as upstream
  pod,   ///< status.podIP
};

/// Which family, where pods have addresses of both.
enum class AddressFamily { any, ipv4, ipv6 };  // any: the one that Kubernetes names first

/// What makes a pod task 0, 1, 2 …
enum class PodOrder {
  automatic,  ///< by index where all pods of a selector have one, else by name
  name,       ///< by name as text, as upstream: w-10 before w-2
  index,      ///< by index; a pod without one, and an index without a pod, are failures; a StatefulSet may begin with any
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
  KubernetesOptions& port(std::uint16_t v) { port_ = v; return *this; }
  KubernetesOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  KubernetesOptions& executable_location(ExecutableLocation v) { location_ = v; return *this; }
  /// Where the API server is, instead of looking that up; upstream's override_client. https, or http on loopback (`kubectl
  /// proxy`). The token is that of credentials(), else over https the Runtime's.
  KubernetesOptions& api_server(std::string v) { api_server_ = std::move(v); return *this; }
  /// The token to send, instead of the kubeconfig's (its token, tokenFile, exec plugin, auth-provider, name and password are not looked
  /// at) or the pod's own. A client certificate of the kubeconfig is presented as well, and so is its impersonation.
  KubernetesOptions& credentials(std::shared_ptr<Credentials> v) { credentials_ = std::move(v); return *this; }
  /// One namespace; empty: all of them; `.`: the kubeconfig context's, or the pod's own.
  KubernetesOptions& namespace_name(std::string v) { namespace_ = std::move(v); return *this; }
  /// This file and no other. With api_server() or within_cluster, which read none, invalid_argument; context() as well.
  KubernetesOptions& kubeconfig(std::string v) { kubeconfig_ = std::move(v); return *this; }
  /// Of the kubeconfig; default: its current-context.
  KubernetesOptions& context(std::string v) { context_ = std::move(v); return *this; }
  KubernetesOptions& address(PodAddress v) { address_ = v; return *this; }
  KubernetesOptions& family(AddressFamily v) { family_ = v; return *this; }
  KubernetesOptions& order(PodOrder v) { order_ = v; return *this; }
  // clang-format on

  const LabelMapping& job_to_label_mapping() const { return mapping_; }
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

 private:
  LabelMapping mapping_;
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
};

/// Every pod that is not being deleted (a pod with a deletionTimestamp is leaving, whatever its phase, and is passed over) must
/// be Running: the first that is not, in order of names, is named (not_ready). A running pod without address is
/// malformed_response; two pods with one index, conflict. A job without pods is a job without tasks.
///
/// An index is known of the pods of a JobSet (job-global-index, completion index), a LeaderWorkerSet (group, worker),
/// Kubeflow's training operator (replica type, replica index), a RayCluster (head, then group, replica, host), an Indexed Job
/// and a StatefulSet; the first of these that applies counts.
std::shared_ptr<ClusterResolver> make_kubernetes_resolver(Runtime runtime, KubernetesOptions options = {});

}  // namespace rollcall
