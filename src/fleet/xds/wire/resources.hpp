// A cluster as endpoint discovery (xDS v3) tells it: for gRPC a listener that routes everything to a cluster, and the cluster whose
// endpoints are asked for; for gRPC and Envoy the endpoints. Pure.
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

/// The endpoints of one resource, which is called as it was asked for.
class EndpointList {
 public:
  EndpointList() {}
  std::string region;
  std::string zone;
  std::vector<DiscoveredEndpoint> endpoints;

  /// The members that have an IP address, each address and port once (gRPC refuses a list that has one twice): ready if a member there is.
  /// Names of hosts are left out, since clients take none.
  static EndpointList of(const Target& target, const ClusterStatus& status);
  /// What is told of a target: its members (`status`, null: never seen), none of them once it is gone. Absent: nothing is told of it, as it
  /// was never seen.
  static std::optional<EndpointList> sent(const std::string& target, const ClusterStatus* status, bool is_gone);
  friend bool operator==(const EndpointList&, const EndpointList&) = default;
};

/// A ClusterLoadAssignment, within an Any. Endpoints that are not ready are UNHEALTHY; all have the weight 1.
std::string render_endpoints(std::string_view name, const EndpointList& list);
/// The same as an element of a list in JSON, as protobuf maps it.
void append_endpoints_json(std::string& out, std::string_view name, const EndpointList& list);
/// A Cluster of that name whose endpoints come by the same stream, within an Any.
std::string render_cluster(std::string_view name);
/// A Listener of that name, as gRPC asks for: it leads to the cluster of that name. Within an Any.
std::string render_listener(std::string_view name);

}  // namespace rollcall::fleet
