// Queued resources, single and in pages.
#include "resolvers/queued/wire/queued_resource.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

QueuedResource queued_of(const std::string& json) { return value_of(parse_queued_resource(json)); }

void check_queued_refused(const std::string& json, const std::string& text) {
  INFO(json.substr(0, 200));
  check_failure(parse_queued_resource(json), Errc::malformed_response, text);
  CHECK_FALSE(parse_queued_resource_list("{\"queuedResources\":[" + json + "]}").has_value());
}

}  // namespace

TEST_CASE("a multislice request and the names of its nodes") {
  const QueuedResource request = queued_of(read_sample("tpu/queued-resource.active-multislice.json"));
  CHECK(request.id == "ms");
  CHECK(request.create_time == "2026-10-04T07:00:00Z");
  CHECK(request.state == "ACTIVE");
  CHECK(request.tier == "spot");
  REQUIRE(request.node_specs.size() == 1);
  CHECK(request.node_specs[0].accelerator_type == "v5litepod-16");
  CHECK(request.node_specs[0].runtime_version == "v2-alpha-tpuv5-lite");
  CHECK(node_ids(request) == std::vector<std::string>{"ms-0", "ms-1"});
}

TEST_CASE("a single node, its tiers and states") {
  const QueuedResource reserved = queued_of(read_sample("tpu/queued-resource.guaranteed-reservation.json"));
  CHECK(reserved.tier == "guaranteed");
  CHECK(reserved.reservation_name == "projects/example-proj/locations/us-west4-a/reservations/r1");
  CHECK(reserved.state == "ACCEPTED");
  CHECK(node_ids(reserved) == std::vector<std::string>{"job10-node"});
  const QueuedResource suspended = queued_of(read_sample("tpu/queued-resource.suspended-by-service.json"));
  CHECK(suspended.state == "SUSPENDED");
  CHECK(suspended.state_initiator == "SERVICE");
  CHECK(queued_of(read_sample("tpu/queued-resource.waiting.json")).state == "WAITING_FOR_RESOURCES");
  CHECK(queued_of(read_sample("tpu/queued-resource.provisioning.json")).state == "PROVISIONING");
  const QueuedResource failed = queued_of(read_sample("tpu/queued-resource.failed.json"));
  CHECK(failed.state == "FAILED");
  CHECK(failed.error_code == 8);
  CHECK(failed.error_message == "There is no more capacity in the zone \"us-west4-a\"; you can try in another zone.");
  CHECK(failed.error_reason == "STOCKOUT");
}

TEST_CASE("v2alpha1 spells slices and tiers otherwise") {
  const QueuedResource old = queued_of(read_sample("tpu/queued-resource.v2alpha1.json"));
  CHECK(old.tier == "bestEffort");
  CHECK(node_ids(old) == std::vector<std::string>{"old-0", "old-1"});
}

TEST_CASE("slices without a prefix have the request's name") {
  const QueuedResource request =
      queued_of(R"({"name":"projects/p/locations/z/queuedResources/q","tpu":{"nodeSpec":[{"multisliceParams":{"nodeCount":11}}]}})");
  const std::vector<std::string> ids = node_ids(request);
  REQUIRE(ids.size() == 11);
  CHECK(ids[2] == "q-2");
  CHECK(ids[10] == "q-10");
}

TEST_CASE("null is absent, and of a repeated key the last counts") {
  const QueuedResource request = queued_of(
      R"({"spot":null,"guaranteed":{"minDuration":"1s"},"state":{"state":"FAILED","failedData":{"error":{"code":3,"details":[{"reason":"A"},{"reason":"B"}]}}},)"
      R"("state":{"state":"ACTIVE","failedData":null},"tpu":{"nodeSpec":[{"nodeId":"a"}]},"tpu":{"nodeSpec":[{"nodeId":"b","multisliceParams":null}]}})");
  CHECK(request.tier == "guaranteed");
  CHECK(request.state == "ACTIVE");
  CHECK(request.error_code == 0);
  CHECK(request.error_reason.empty());
  CHECK(node_ids(request) == std::vector<std::string>{"b"});
}

TEST_CASE("an invalid queued resource is refused with the field's name") {
  check_queued_refused(R"({"state":"ACTIVE"})", "state is a text, not an object");
  check_queued_refused(R"({"tpu":{"nodeSpec":[{"nodeId":"a/../b"}]}})", "tpu.nodeSpec[0].nodeId is 'a/../b', not the name of a node");
  check_queued_refused(R"({"tpu":{"nodeSpec":[{"multisliceParams":{"nodeIdPrefix":"a b"}}]}})", "nodeIdPrefix is 'a b', not the name");
  check_queued_refused(R"({"tpu":{"nodeSpec":[{"multisliceParams":{"nodeCount":65537}}]}})", "nodeCount is 65537, not a number of slices");
  check_queued_refused(R"({"tpu":{"nodeSpec":[{"multisliceParams":{"nodeCount":-1}}]}})", "nodeCount is -1, not a number of slices");
  check_queued_refused(R"({"name":)", "");
  CHECK_FALSE(parse_queued_resource("<html>").has_value());
  CHECK_FALSE(parse_queued_resource("").has_value());
}

TEST_CASE("a page of queued resources, in any pieces") {
  const std::string text = read_sample("tpu/queued-resources-list.json");
  const Result<QueuedResourcePage> whole = parse_queued_resource_list(text);
  REQUIRE(whole.has_value());
  REQUIRE(whole->requests.size() == 2);
  CHECK(whole->requests[0].id == "job7");
  CHECK(whole->requests[1].state == "SUSPENDED");
  for (std::size_t step = 1; step < 40; ++step) {
    QueuedResourceListParser parser;
    for (std::size_t at = 0; at < text.size(); at += step) REQUIRE(parser.feed(text.substr(at, step)).has_value());
    REQUIRE(parser.finish().has_value());
    CHECK(parser.page() == *whole);
  }
  const Result<QueuedResourcePage> partial =
      parse_queued_resource_list(R"({"nextPageToken":"t","unreachable":["projects/p/locations/us-east1-d"]})");
  REQUIRE(partial.has_value());
  CHECK(partial->requests.empty());
  CHECK(partial->next_page_token == "t");
  CHECK(partial->unreachable == std::vector<std::string>{"projects/p/locations/us-east1-d"});
}
