// parse_tpu_node: accepted fields, and the messages of refusals.
#include "resolvers/tpu/wire/tpu_node.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

TpuNode parsed(const std::string& json) { return value_of(parse_tpu_node(json)); }

// Checks the failure's code, and that the message contains `text`.
void check_refused(const std::string& json, Errc code, const std::string& text) {
  const Result<TpuNode> node = parse_tpu_node(json);
  INFO(json.substr(0, 200));
  check_failure(node, code, text);
  CHECK(node.error().what().size() < 500);
}

}  // namespace

TEST_CASE("a v2 node is read whole") {
  const TpuNode node = parsed(read_sample("tpu/node.v2.unhealthy-symptoms.json"));
  CHECK(node.name == "projects/example-proj/locations/us-central2-b/nodes/trainer-a");
  CHECK(node.id == "trainer-a");
  CHECK(node.uid == "4611686018427387999");
  CHECK(node.state == "READY");
  CHECK(node.health == "UNHEALTHY_TENSORFLOW");
  CHECK(node.health_description == "The TPU runtime on worker 2 is not responding.");
  CHECK(node.accelerator_type == "v4-32");
  CHECK(node.accelerator_config_type == "V4");
  CHECK(node.accelerator_config_topology == "2x2x4");
  CHECK(node.runtime_version == "tpu-ubuntu2204-base");
  REQUIRE(node.network_endpoints.size() == 4);
  CHECK(node.network_endpoints[2].ip_address == "10.130.0.25");
  CHECK(node.network_endpoints[2].port == 8470);
  CHECK(node.network_endpoints[2].external_ip == "203.0.113.25");
  REQUIRE(node.symptoms.size() == 3);
  CHECK(node.symptoms[2].type == "HBM_OUT_OF_MEMORY");
  CHECK(node.symptoms[2].create_time == "2026-10-05T01:12:59.123456789Z");
  CHECK(node.symptoms[2].worker_id == "2");
  CHECK(node.symptoms[2].details == "chip 1");
  CHECK_FALSE(node.is_multislice);
}

TEST_CASE("a v1 node has its only endpoint at the top, its port as text") {
  const TpuNode node = parsed(read_sample("tpu/node.v1.v2-8-legacy-address.json"));
  CHECK(node.ip_address == "10.240.1.2");
  CHECK(node.port == 8470);
  CHECK(node.tensorflow_version == "1.15");
  CHECK_FALSE(node.has_network_endpoints);
}

TEST_CASE("every node sample is read, and no prefix of one is") {
  for (const std::string& name : samples("tpu", "node.")) {
    INFO(name);
    std::string text = read_sample(name);
    CHECK_FALSE(parsed(text).name.empty());
    text.erase(text.find_last_of('}') + 1);
    for_each_prefix(text, [&](std::string_view part) {
      const Result<TpuNode> node = parse_tpu_node(part);
      if (node.has_value() != (part.size() == text.size())) FAIL_CHECK("prefix of " << part.size() << " bytes");
    });
  }
}

TEST_CASE("endpoints without a port, an empty array and an absent one are distinguished") {
  const TpuNode partial = parsed(read_sample("tpu/node.v2.creating-partial-endpoints.json"));
  REQUIRE(partial.network_endpoints.size() == 2);
  CHECK(partial.network_endpoints[0].port == std::nullopt);
  CHECK(parsed(R"({"networkEndpoints":[]})").has_network_endpoints);
  CHECK_FALSE(parsed(R"({"networkEndpoints":null})").has_network_endpoints);
  CHECK_FALSE(parsed("{}").has_network_endpoints);
}

TEST_CASE("ports are integers or decimal texts from 1 to 65535") {
  const auto port_of = [](const std::string& port) {
    return parsed(R"({"networkEndpoints":[{"port":)" + port + "}]}").network_endpoints[0].port;
  };
  CHECK(port_of("1") == 1);
  CHECK(port_of("\"65535\"") == 65535);
  CHECK(port_of("null") == std::nullopt);
  for (const std::string bad : {"0", "-1", "65536", "70000", "8470.0", "1e3", "true", "{}", "[]", "\"\"", "\"0\"", "\" 8470\"", "\"+1\"",
                                "\"0x10\"", "\"99999999999999999999\"", "99999999999999999999", "18446744073709551615"}) {
    check_refused(R"({"networkEndpoints":[{"port":1},{"port":)" + bad + "}]}", Errc::malformed_response, "networkEndpoints[1].port");
    check_refused(R"({"port":)" + bad + "}", Errc::malformed_response, "port");
  }
}

TEST_CASE("null counts as absent and the last of a repeated key wins") {
  CHECK(parsed(R"({"state":"READY","state":null})").state.empty());
  CHECK(parsed(R"({"state":"CREATING","state":"READY"})").state == "READY");
  const TpuNode node =
      parsed(R"({"networkEndpoints":[{"ipAddress":"10.0.0.1"},{"ipAddress":"10.0.0.2"}],"networkEndpoints":[{"ipAddress":"10.0.0.3"}],
                                  "acceleratorConfig":{"type":"V4","topology":"2x2x1"},"acceleratorConfig":{"type":"V5P"}})");
  REQUIRE(node.network_endpoints.size() == 1);
  CHECK(node.network_endpoints[0].ip_address == "10.0.0.3");
  CHECK(node.accelerator_config_type == "V5P");
  CHECK(node.accelerator_config_topology.empty());
}

TEST_CASE("unknown fields are skipped with any value") {
  const TpuNode node = parsed(R"({"future":{"name":"x","networkEndpoints":[{"port":0}],"a":[[{"b":null}],1.5,true]},"name":"n",
      "networkEndpoints":[{"future":[1],"port":5,"accessConfig":{"x":{"externalIp":"no"},"externalIp":"10.0.0.9"}}],"state":"S\u0045"})");
  CHECK(node.id == "n");
  CHECK(node.state == "SE");
  CHECK(node.network_endpoints[0].port == 5);
  CHECK(node.network_endpoints[0].external_ip == "10.0.0.9");
}

TEST_CASE("a known field of the wrong type is named") {
  const auto bad = Errc::malformed_response;
  check_refused(R"({"name":"p/nodes/t1","state":5})", bad, "t1");
  check_refused(R"({"state":5})", bad, "state is a number, not a text");
  check_refused(R"({"state":{}})", bad, "state is an object, not a text");
  check_refused(R"({"name":[]})", bad, "name is an array, not a text");
  check_refused(R"({"networkEndpoints":{}})", bad, "networkEndpoints is an object, not an array");
  check_refused(R"({"networkEndpoints":"x"})", bad, "networkEndpoints is a text, not an array");
  check_refused(R"({"networkEndpoints":[null]})", bad, "networkEndpoints[0] is null, not an object");
  check_refused(R"({"networkEndpoints":[{},[]]})", bad, "networkEndpoints[1] is an array, not an object");
  check_refused(R"({"networkEndpoints":[{"ipAddress":7}]})", bad, "networkEndpoints[0].ipAddress is a number");
  check_refused(R"({"networkEndpoints":[{"accessConfig":{"externalIp":[]}}]})", bad, "networkEndpoints[0].accessConfig.externalIp");
  check_refused(R"({"acceleratorConfig":"V4"})", bad, "acceleratorConfig is a text, not an object");
  check_refused(R"({"acceleratorConfig":{"topology":1}})", bad, "acceleratorConfig.topology");
  check_refused(R"({"symptoms":[{"symptomType":{}}]})", bad, "symptoms[0].symptomType");
  check_refused(R"({"multisliceNode":"true"})", bad, "multisliceNode is a text, not a boolean");
}

TEST_CASE("a document that is not a JSON object is malformed") {
  const auto bad = Errc::malformed_response;
  check_refused("", bad, "empty");
  check_refused(" \n", bad, "empty");
  check_refused("\n<!DOCTYPE html><p>hi", bad, "an HTML page");
  check_refused(read_sample("errors/google.502.html"), bad, "an HTML page");
  check_refused("\"READY\"", bad, "the document is a text, not an object");
  check_refused("[]", bad, "the document is an array, not an object");
  check_refused("null", bad, "the document is null");
  check_refused("{} {}", bad, "not JSON");
  check_refused("{\"a\":1,}", bad, "not JSON");
  check_refused("{\"name\":\"tr", bad, "cut short");
  check_refused("{\"name\":\"\xff\xfe\"}", bad, "not JSON");
  check_refused("{\"other\":\"\xc0\xaf\"}", bad, "not JSON");
  check_refused("{\"other\":\"\\ud800\"}", bad, "not JSON");
}

TEST_CASE("limits end the parse") {
  check_refused("{\"x\":" + nested(1000) + "}", Errc::limit_exceeded, "nests too deeply");
  check_refused(nested(1000), Errc::malformed_response, "not an object");
  check_refused("{\"name\":\"" + std::string(10'000'000, 'n') + "\"}", Errc::limit_exceeded, "name is longer");
  check_refused("{\"name\":\"" + std::string(20'000, 'n') + "\\n\"}", Errc::limit_exceeded, "name is longer");
  std::string many = "{\"networkEndpoints\":[{}";
  for (int i = 0; i < 70'000; ++i) many += ",{}";
  check_refused(many + "]}", Errc::limit_exceeded, "too many networkEndpoints");
  CHECK(parsed("{\"" + std::string(100'000, 'k') + "\":1,\"state\":\"S\"}").state == "S");
  CHECK(parsed("{\"metadata\":{\"s\":\"" + std::string(1'000'000, 'n') + "\"},\"state\":\"S\"}").state == "S");
}

TEST_CASE("a body that is not JSON comes with a hint") {
  for (const std::string_view body : {"", "hello", "<html>"}) {
    CAPTURE(body);
    CHECK_FALSE(parse_tpu_node(body).error().hint().empty());
  }
}
