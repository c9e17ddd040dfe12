// Compute Engine instance groups. Source: tf.distribute.cluster_resolver.GCEClusterResolver;
// cloud.google.com/compute/docs/reference/rest/v1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rollcall/resolver.hpp"

namespace rollcall {

/// How the members' addresses are requested.
enum class GceLookup {
  automatic,  ///< get for a group of up to 256 members, list for a larger one
  get,        ///< one instances.get per member, in parallel, as many at once as Limits allow
  list,       ///< instances.list, filtered by the members' names, some hundred in one request; needs compute.instances.list
};

/// The order of the tasks.
enum class GceOrder {
  address,  ///< upstream's: the texts `ip:port`, so that 10.0.0.10 comes before 10.0.0.2, and an index changes with an address
  name,     ///< instance names in natural order: worker-2 before worker-10
  /// By cluster, block, sub-block and host of the machines (resourceStatus.physicalHostTopology), then by name: neighbours in the network
  /// are neighbours in the order. failed_precondition where a member has no topology.
  topology,
};

/// The address of an instance that is used.
enum class GceAddress {
  ipv4,  ///< networkIP, the internal address
  ipv6,  ///< ipv6Address, or the external one where there is none
};

/// Upstream's further arguments: `credentials` are the Runtime's (RuntimeOptions::credentials), `service` is endpoint().
class GceOptions {
 public:
  explicit GceOptions(std::string instance_group) : instance_group_(std::move(instance_group)) {}

  // clang-format off
  /// Default: GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT, then the credential file, gcloud's active configuration, the
  /// metadata server.
  GceOptions& project(std::string v) { project_ = std::move(v); return *this; }
  /// Of a zonal group. Default: CLOUDSDK_COMPUTE_ZONE, then gcloud's active configuration, the metadata server.
  GceOptions& zone(std::string v) { zone_ = std::move(v); return *this; }
  /// The region of a regional group; replaces zone().
  GceOptions& region(std::string v) { region_ = std::move(v); return *this; }
  /// The port of every member. This or named_port() is needed.
  GceOptions& port(std::uint16_t v) { port_ = v; return *this; }
  /// A port that the group names; each member's own number is used.
  GceOptions& named_port(std::string v) { named_port_ = std::move(v); return *this; }
  GceOptions& task_type(std::string v) { task_type_ = std::move(v); return *this; }
  GceOptions& task_id(std::optional<int> v) { task_id_ = v; return *this; }
  /// "": no prefix.
  GceOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  GceOptions& lookup(GceLookup v) { lookup_ = v; return *this; }
  GceOptions& order(GceOrder v) { order_ = v; return *this; }
  GceOptions& address(GceAddress v) { address_ = v; return *this; }
  /// Such as nic1. Default: the first.
  GceOptions& network_interface(std::string v) { network_interface_ = std::move(v); return *this; }
  /// True: accept a list that the service marks as incomplete, and leave out members that no longer exist when their addresses are
  /// requested. The omission is logged as omitted. False: that is an error.
  GceOptions& allow_partial(bool v) { allow_partial_ = v; return *this; }
  /// Replaces https://compute.googleapis.com/compute/v1/, or that of the credentials' universe; https, or http on loopback.
  /// CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE does, too.
  GceOptions& endpoint(std::string v) { endpoint_ = std::move(v); return *this; }

  // clang-format on

  const std::string& instance_group() const { return instance_group_; }
  const std::string& project() const { return project_; }
  const std::string& zone() const { return zone_; }
  const std::string& region() const { return region_; }
  std::optional<std::uint16_t> port() const { return port_; }
  const std::string& named_port() const { return named_port_; }
  const std::string& task_type() const { return task_type_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::string& rpc_layer() const { return rpc_layer_; }
  GceLookup lookup() const { return lookup_; }
  GceOrder order() const { return order_; }
  GceAddress address() const { return address_; }
  const std::string& network_interface() const { return network_interface_; }
  bool allow_partial() const { return allow_partial_; }
  const std::string& endpoint() const { return endpoint_; }

 private:
  std::string instance_group_;
  std::string project_;
  std::string zone_;
  std::string region_;
  std::optional<std::uint16_t> port_;
  std::string named_port_;
  std::string task_type_ = "worker";
  std::optional<int> task_id_ = 0;
  std::string rpc_layer_ = "grpc";
  GceLookup lookup_ = GceLookup::automatic;
  GceOrder order_ = GceOrder::address;
  GceAddress address_ = GceAddress::ipv4;
  std::string network_interface_;
  bool allow_partial_ = false;
  std::string endpoint_;
};

/// The running members of an instance group, managed or not, as one job. Options that are not consistent fail at the first call. Assigning
/// task_type fails with failed_precondition. num_accelerators() counts by what Compute Engine says of the machines, and asks the master for
/// its devices where that is not known, or with CountFrom::devices; machines that differ are failed_precondition, unless a task is named.
std::shared_ptr<ClusterResolver> make_gce_resolver(Runtime runtime, GceOptions options);

}  // namespace rollcall
