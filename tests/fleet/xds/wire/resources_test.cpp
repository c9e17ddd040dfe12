#include "fleet/xds/wire/resources.hpp"

#include <catch2/catch.hpp>

#include "fleet/xds/discovery_bytes.hpp"
#include "json/json_dom.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using fleet::EndpointList;

namespace {

Member member_at(int index, std::string address, MemberState state = MemberState::ready, MemberState health = MemberState::ready) {
  Member member("worker", index);
  member.address = std::move(address);
  member.state = Condition(state, "S");
  member.health = Condition(health, "H");
  return member;
}

EndpointList list_of(std::string_view target, std::vector<Member> members) {
  ClusterStatus status;
  status.members = std::move(members);
  return EndpointList::of(value_of(Target::parse(target)), status);
}

std::string reports_of(const EndpointList& list) {
  return endpoints_text(within<wire::xds::ClusterLoadAssignment>(render_endpoints("n", list)));
}

constexpr std::string_view some_target = "tpu:trainer,project=p,zone=us-central2-b";

}  // namespace

TEST_CASE("The members of a cluster are endpoints, healthy where they are ready", "[fleet]") {
  const EndpointList list = list_of(some_target, {member_at(0, "10.0.0.1:8470"), member_at(1, "10.0.0.2:8470", MemberState::waiting),
                                                  member_at(2, "10.0.0.3:8470", MemberState::ready, MemberState::lost),
                                                  member_at(3, "[2001:db8::1]:9"), member_at(4, "10.0.0.5")});
  CHECK(reports_of(list) == "10.0.0.1:8470 10.0.0.2:8470! 10.0.0.3:8470! 2001:db8::1:9 10.0.0.5:8470");
  const auto assignment = within<wire::xds::ClusterLoadAssignment>(render_endpoints(some_target, list));
  CHECK(assignment.cluster_name() == some_target);
  REQUIRE(assignment.endpoints_size() == 1);
  CHECK(assignment.endpoints(0).locality().zone() == "us-central2-b");
  CHECK(assignment.endpoints(0).locality().region() == "us-central2");
  CHECK(assignment.endpoints(0).load_balancing_weight().value() == 1);
  CHECK(assignment.endpoints(0).lb_endpoints(0).load_balancing_weight().value() == 1);
  CHECK(assignment.endpoints(0).lb_endpoints(1).health_status() == 2);
}

TEST_CASE("An address comes once in a list, ready if a member there is, and a host's name never", "[fleet]") {
  CHECK(reports_of(list_of(some_target, {member_at(0, "10.0.0.1:8470", MemberState::waiting), member_at(1, "10.0.0.1"),
                                         member_at(2, "10.0.0.1:8471", MemberState::waiting), member_at(3, "host.example:8470"),
                                         member_at(4, ""), member_at(5, "10.0.0.1; rm")})) == "10.0.0.1:8470 10.0.0.1:8471!");
  CHECK(reports_of(list_of(some_target, {})).empty());
}

TEST_CASE("Nothing is sent of a target that was never seen; one that is gone has no endpoints", "[fleet]") {
  ClusterStatus status;
  status.members = {member_at(0, "10.0.0.1:8470")};
  CHECK_FALSE(EndpointList::sent(std::string(some_target), nullptr, false));
  CHECK_FALSE(EndpointList::sent(std::string(some_target), nullptr, true));
  CHECK(EndpointList::sent(std::string(some_target), &status, false).value().endpoints.size() == 1);
  CHECK(EndpointList::sent(std::string(some_target), &status, true).value().endpoints.empty());
}

TEST_CASE("In JSON endpoints are the same for any name", "[fleet]") {
  std::string text;
  const EndpointList list =
      list_of("kubernetes:train,region=eu", {member_at(0, "10.0.0.1:1"), member_at(1, "10.0.0.2:2", MemberState::lost)});
  append_endpoints_json(text, "a\"b\\c\n", list);
  const JsonDocument document = value_of(JsonDocument::parse("the resource", text, {}));
  CHECK(text == R"({"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment","cluster_name":"a\"b\\c\n",)"
                R"("endpoints":[{"locality":{"region":"eu","zone":""},"load_balancing_weight":1,"lb_endpoints":[)"
                R"({"endpoint":{"address":{"socket_address":{"address":"10.0.0.1","port_value":1}}},"health_status":"HEALTHY",)"
                R"("load_balancing_weight":1},{"endpoint":{"address":{"socket_address":{"address":"10.0.0.2","port_value":2}}},)"
                R"("health_status":"UNHEALTHY","load_balancing_weight":1}]}]})");
  std::string none;
  append_endpoints_json(none, "n", EndpointList());
  CHECK(none == R"({"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment","cluster_name":"n"})");
}

TEST_CASE("A listener leads everything to the cluster of its name, whose endpoints come by the same stream", "[fleet]") {
  namespace proto = wire::xds;
  const std::string name(some_target);
  const auto listener = within<proto::Listener>(fleet::render_listener(name));
  CHECK(listener.name() == name);
  const proto::Any& api = listener.api_listener().api_listener();
  CHECK(api.type_url() == "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager");
  const auto manager = read_as<proto::HttpConnectionManager>(api.value());
  REQUIRE(manager.route_config().virtual_hosts_size() == 1);
  CHECK(manager.route_config().virtual_hosts(0).domains(0) == "*");
  CHECK(manager.route_config().virtual_hosts(0).routes(0).route().cluster() == name);
  REQUIRE(manager.http_filters_size() == 1);  // gRPC refuses a list without the router
  CHECK(manager.http_filters(0).typed_config().type_url() == "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router");
  const auto cluster = within<proto::Cluster>(fleet::render_cluster(name));
  CHECK(cluster.name() == name);
  CHECK(cluster.type() == 3);
  CHECK(cluster.eds_cluster_config().service_name() == name);
  CHECK(cluster.eds_cluster_config().eds_config().has_ads());
  CHECK(cluster.eds_cluster_config().eds_config().resource_api_version() == 2);
}
