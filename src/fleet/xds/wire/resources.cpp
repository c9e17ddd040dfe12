#include "fleet/xds/wire/resources.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/append_formatted.hpp"
#include "base/ip.hpp"
#include "fleet/xds/wire/discovery.hpp"
#include "json/json_text.hpp"
#include "rollcall/endpoint.hpp"
#include "xds.pb.h"

namespace rollcall::fleet {
namespace {

namespace proto = wire::xds;

constexpr std::string_view type_prefix = "type.googleapis.com/envoy.extensions.filters.";
constexpr int healthy = 1;
constexpr int unhealthy = 2;
constexpr int by_endpoint_discovery = 3;
constexpr int version_3 = 2;

template <class Message>
std::string within_any(std::string_view type_url, const Message& message) {
  proto::Any any;
  any.set_type_url(std::string(type_url));
  any.set_value(message.SerializeAsString());
  return any.SerializeAsString();
}

// `us-central2` for `us-central2-b`.
std::string region_of(const std::string& zone) { return zone.substr(0, zone.rfind('-') == std::string::npos ? 0 : zone.rfind('-')); }

}  // namespace

EndpointList EndpointList::of(const Target& target, const ClusterStatus& status) {
  EndpointList list;
  list.zone = target.get("zone").value_or("");
  list.region = list.zone.empty() ? target.get("region").value_or("") : region_of(list.zone);
  std::unordered_map<std::string, std::size_t> places;
  for (const Member& member : status.members) {
    Result<Endpoint> address = Endpoint::parse(member.address);
    if (!address || !(is_ipv4_literal(address->host) || is_ipv6_literal(address->host, false))) continue;
    const bool is_ready = member.state.level == MemberState::ready && member.health.level == MemberState::ready;
    address->port = address->port.value_or(default_worker_port);
    const auto [place, is_new] = places.emplace(address->to_text(), list.endpoints.size());
    if (is_new) {
      DiscoveredEndpoint& endpoint = list.endpoints.emplace_back();
      endpoint.ip = address->host;
      endpoint.port = *address->port;
    }
    DiscoveredEndpoint& endpoint = list.endpoints[place->second];
    endpoint.is_ready = endpoint.is_ready || is_ready;
  }
  return list;
}

std::optional<EndpointList> EndpointList::sent(const std::string& target, const ClusterStatus* status, bool is_gone) {
  if (!status) return std::nullopt;
  const Result<Target> parsed = Target::parse(target);
  if (is_gone || !parsed) return EndpointList();
  return of(*parsed, *status);
}

std::string render_endpoints(std::string_view name, const EndpointList& list) {
  proto::ClusterLoadAssignment assignment;
  assignment.set_cluster_name(std::string(name));
  if (!list.endpoints.empty()) {
    proto::LocalityLbEndpoints& group = *assignment.add_endpoints();
    group.mutable_locality()->set_region(list.region);
    group.mutable_locality()->set_zone(list.zone);
    group.mutable_load_balancing_weight()->set_value(1);
    for (const DiscoveredEndpoint& one : list.endpoints) {
      proto::LbEndpoint& endpoint = *group.add_lb_endpoints();
      proto::SocketAddress& address = *endpoint.mutable_endpoint()->mutable_address()->mutable_socket_address();
      address.set_address(one.ip);
      address.set_port_value(one.port);
      endpoint.set_health_status(one.is_ready ? healthy : unhealthy);
      endpoint.mutable_load_balancing_weight()->set_value(1);
    }
  }
  return within_any(type_url_of(ResourceType::endpoints), assignment);
}

void append_endpoints_json(std::string& out, std::string_view name, const EndpointList& list) {
  out += "{";
  append_json_field(out, "@type", type_url_of(ResourceType::endpoints));
  append_json_field(out, "cluster_name", name);
  if (!list.endpoints.empty()) {
    out += R"(,"endpoints":[{"locality":{)";
    append_json_field(out, "region", list.region);
    append_json_field(out, "zone", list.zone);
    out += R"(},"load_balancing_weight":1,"lb_endpoints":[)";
    for (const DiscoveredEndpoint& one : list.endpoints) {
      out += out.back() == '[' ? R"({"endpoint":{"address":{"socket_address":{)" : R"(,{"endpoint":{"address":{"socket_address":{)";
      append_json_field(out, "address", one.ip);
      append_formatted(out, R"(,"port_value":{}}}}}}},"health_status":"{}","load_balancing_weight":1}})", one.port,
                       one.is_ready ? "HEALTHY" : "UNHEALTHY");
    }
    out += "]}]";
  }
  out += "}";
}

std::string render_cluster(std::string_view name) {
  proto::Cluster cluster;
  cluster.set_name(std::string(name));
  cluster.set_type(by_endpoint_discovery);
  cluster.mutable_connect_timeout()->set_seconds(5);
  proto::EdsClusterConfig& config = *cluster.mutable_eds_cluster_config();
  config.set_service_name(std::string(name));
  config.mutable_eds_config()->mutable_ads();
  config.mutable_eds_config()->set_resource_api_version(version_3);
  return within_any(type_url_of(ResourceType::cluster), cluster);
}

std::string render_listener(std::string_view name) {
  proto::HttpConnectionManager manager;
  manager.set_stat_prefix("rollcall");
  manager.mutable_route_config()->set_name(std::string(name));
  proto::VirtualHost& host = *manager.mutable_route_config()->add_virtual_hosts();
  host.set_name("all");
  host.add_domains("*");
  proto::Route& route = *host.add_routes();
  route.mutable_match()->set_prefix("/");
  route.mutable_route()->set_cluster(std::string(name));
  proto::HttpFilter& filter = *manager.add_http_filters();
  filter.set_name("router");
  filter.mutable_typed_config()->set_type_url(fmt::format("{}http.router.v3.Router", type_prefix));
  proto::Listener listener;
  listener.set_name(std::string(name));
  proto::Any& any = *listener.mutable_api_listener()->mutable_api_listener();
  any.set_type_url(fmt::format("{}network.http_connection_manager.v3.HttpConnectionManager", type_prefix));
  any.set_value(manager.SerializeAsString());
  return within_any(type_url_of(ResourceType::listener), listener);
}

}  // namespace rollcall::fleet
