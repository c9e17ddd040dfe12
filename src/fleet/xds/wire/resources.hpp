// A cluster's resources in endpoint discovery (xDS v3): for gRPC a listener, which routes everything to the cluster, and the cluster; for
// gRPC and Envoy the endpoints. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

class DiscoveredEndpoint {
 public:
  DiscoveredEndpoint() {}
  std::string ip;
  std::uint16_t port = 0;
  bool is_ready = false;
  friend bool operator==(const DiscoveredEndpoint&, const DiscoveredEndpoint&) = default;
};

/// The endpoints of one resource.
class EndpointList {
 public:
  EndpointList() {}
  std::string region;
  std::string zone;
  std::vector<DiscoveredEndpoint> endpoints;

  /// The members with an IP address; each address and port once, since gRPC refuses a list with duplicates: ready if any member there is
  /// ready. Host names are left out, since clients do not accept them.
  static EndpointList of(const Target& target, const ClusterStatus& status);
  /// The endpoints to send for a target (`status` null: never seen); empty once the target is gone. Absent: send nothing, since the target
  /// was never seen.
  static std::optional<EndpointList> sent(const std::string& target, const ClusterStatus* status, bool is_gone);
  friend bool operator==(const EndpointList&, const EndpointList&) = default;
};

/// A ClusterLoadAssignment in an Any. Endpoints that are not ready are UNHEALTHY; all have the weight 1.
std::string render_endpoints(std::string_view name, const EndpointList& list);
/// The same as an element of a JSON list, by protobuf's mapping.
void append_endpoints_json(std::string& out, std::string_view name, const EndpointList& list);
/// A Cluster of that name whose endpoints come by the same stream, in an Any.
std::string render_cluster(std::string_view name);
/// A Listener of that name, which gRPC requires: it routes to the cluster of that name. In an Any.
std::string render_listener(std::string_view name);

}  // namespace rollcall::fleet
