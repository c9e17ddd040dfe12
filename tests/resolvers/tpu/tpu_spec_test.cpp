#include "resolvers/tpu/tpu_spec.hpp"

#include <catch2/catch.hpp>

#include "resolvers/tpu/tpu_status.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

namespace {
Result<std::vector<std::string>> addresses(std::string_view json) {
  const Result<TpuNode> node = parse_tpu_node(json);
  if (!node) return node.error();
  const Result<ClusterSpec::Tasks> tasks = worker_tasks("trainer", *node);
  if (!tasks) return tasks.error();
  std::vector<std::string> addresses;
  for (const auto& [worker, address] : *tasks) addresses.push_back(address);
  return addresses;
}
}  // namespace

TEST_CASE("addresses in the API's order, IPv6 in brackets") {
  const auto list =
      addresses(R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.9","port":8470},{"ipAddress":"fd00::1","port":"8471"}]})");
  REQUIRE(list.has_value());
  CHECK(list.value() == std::vector<std::string>{"10.0.0.9:8470", "[fd00::1]:8471"});
}

TEST_CASE("the older single address serves only when networkEndpoints is absent") {
  CHECK(addresses(R"({"state":"READY","ipAddress":"10.1.2.3","port":"8470"})").value() == std::vector<std::string>{"10.1.2.3:8470"});
  CHECK(addresses(R"({"state":"READY","ipAddress":"10.1.2.3","port":"8470","networkEndpoints":[]})")->empty());
}

TEST_CASE("a node that is not READY is reported with its name and state") {
  const auto creating = addresses(R"({"state":"CREATING","networkEndpoints":[{"ipAddress":"10.0.0.9","port":8470}]})");
  testing::check_failure(creating, Errc::not_ready, "trainer", "CREATING");
  CHECK_THAT(addresses("{}").error().message(), Catch::Contains("None"));
  const auto strange = addresses("{\"state\":\"\\u001b[31mX\"}");
  CHECK(strange.error().message().find('\x1b') == std::string::npos);
}

TEST_CASE("READY nodes that cannot be used") {
  for (const std::string_view json : {
           R"({"state":"READY"})",
           R"({"state":"READY","ipAddress":"10.0.0.1"})",
           R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1"}]})",
           R"({"state":"READY","networkEndpoints":[{"port":8470}]})",
           R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1","port":0}]})",
           R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1","port":70000}]})",
           R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1","port":1},{"ipAddress":"10.0.0.1","port":1}]})",
       }) {
    CAPTURE(json);
    CHECK(addresses(json).error().code() == Errc::malformed_response);
  }
}

TEST_CASE("accelerators are counted by type, per host, and say so") {
  const auto count = [](std::string_view json) -> Result<AcceleratorCounts> {
    const Result<AcceleratorType> type = accelerator_of("t", *parse_tpu_node(json));
    if (!type) return type.error();
    return counts_of(*type);
  };
  CHECK(count(R"({"acceleratorType":"v3-32"})")->at("TPU") == 8);
  CHECK(count(R"({"acceleratorType":"v4-32"})")->at("TPU") == 4);
  CHECK(count(R"({"acceleratorConfig":{"type":"V5LITE_POD","topology":"4x4"}})")->at("TPU") == 4);
  CHECK(count(R"({"acceleratorType":"v4-32"})")->source() == CountSource::accelerator_type);
  CHECK(count("{}").error().code() == Errc::malformed_response);
  CHECK(count(R"({"acceleratorType":"v99x-3"})").error().code() == Errc::not_found);
  const Failure bad = count(R"({"acceleratorType":"v4-33"})").error();
  CHECK(bad.code() == Errc::malformed_response);
  CHECK(bad.hint().empty());
}

TEST_CASE("a node's own shape and hosts come before the table") {
  const auto type = [](std::string_view json) { return accelerator_of("t", *parse_tpu_node(json)); };
  const AcceleratorType two =
      type(R"({"acceleratorType":"v6e-8","networkEndpoints":[{"ipAddress":"10.0.0.1"},{"ipAddress":"10.0.0.2"}]})").value();
  CHECK((two.hosts() == 2 && counts_of(two).at("TPU") == 4));
  CHECK(type(R"({"acceleratorType":"v4-512","networkEndpoints":[{"ipAddress":"10.0.0.1"}]})").value().hosts() == 64);  // some are missing
  CHECK(type(R"({"acceleratorType":"v5p-17920","acceleratorConfig":{"type":"V5P","topology":"16x20x28"}})").value().hosts() == 2240);
  const Failure differ = type(R"({"acceleratorType":"v4-512","acceleratorConfig":{"type":"V4","topology":"2x2x4"}})").error();
  CHECK(differ.code() == Errc::malformed_response);
  CHECK_THAT(differ.what(), Catch::Contains("its acceleratorType is v4-512, but its acceleratorConfig, V4 2x2x4, is v4-32"));
}

TEST_CASE("a memory symptom counts for less than 90 seconds") {
  TpuNode node;
  node.state = "READY";
  TpuNode::Symptom symptom;
  symptom.type = "OUT_OF_MEMORY";
  symptom.create_time = "2000-01-01T00:00:00Z";
  node.symptoms.push_back(symptom);
  const WallTime created = WallTime(std::chrono::sys_days(std::chrono::year(2000) / 1 / 1).time_since_epoch());
  OomRules rules;
  CHECK_FALSE(is_recoverable(node, rules, created + 90s - 1ns));
  CHECK(is_recoverable(node, rules, created + 90s));
  CHECK_FALSE(is_recoverable(node, rules, created - 1h));
  rules.runtime_counts = false;
  CHECK(is_recoverable(node, rules, created));
  node.symptoms[0].type = "HBM_OUT_OF_MEMORY";
  CHECK_FALSE(is_recoverable(node, rules, created));
  node.symptoms[0].create_time = "yesterday";
  CHECK(is_recoverable(node, rules, created));
  node.state = "PREEMPTED";
  CHECK_FALSE(is_recoverable(node, rules, created));
}
