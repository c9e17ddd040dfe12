// TpuNodeListParser: pages, filters, and independence of chunk sizes.
#include "resolvers/tpu/wire/tpu_node_list.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

TpuNodeList parsed_list(const std::string& json) { return value_of(parse_tpu_node_list(json)); }

void check_refused_list(const std::string& json, Errc code, const std::string& text) {
  INFO(json.substr(0, 200));
  check_failure(parse_tpu_node_list(json), code, text);
}

// The result of parsing `text` in pieces of `size`, as text.
std::string outcome(std::string_view text, std::size_t size) {
  TpuNodeListParser parser;
  Result<void> result;
  for (std::size_t at = 0; at < text.size() && result; at += size) {
    const std::string piece(text.substr(at, size));  // a copy, so that a view kept across chunks shows under ASan
    result = parser.feed(piece);
  }
  if (result) result = parser.finish();
  if (!result) return result.error().what();
  std::string shown = parser.next_page_token() + "|";
  for (const std::string& location : parser.unreachable()) shown += location + ",";
  for (const TpuNode& node : parser.take_nodes()) {
    shown += "\n" + node.name + " " + node.state + " " + node.health + " " + node.accelerator_config_topology;
    for (const auto& endpoint : node.network_endpoints)
      shown += " " + endpoint.ip_address + ":" + std::to_string(endpoint.port.value_or(0));
  }
  for (const auto& fault : parser.take_faults()) shown += "\n" + fault.id + ": " + fault.problem.what();
  return shown;
}

}  // namespace

TEST_CASE("a page of nodes") {
  const TpuNodeList page = parsed_list(read_sample("tpu/nodes-list.page1.json"));
  REQUIRE(page.nodes.size() == 2);
  CHECK(page.nodes[1].id == "b");
  CHECK(page.nodes[1].network_endpoints[0].ip_address == "10.130.0.3");
  CHECK(page.next_page_token == "CgYI2-example-page-2==");
  CHECK(parsed_list("{}").nodes.empty());
  CHECK(parsed_list(read_sample("tpu/nodes-list.empty-page-with-token.json")).next_page_token == "CgYI-example-keep-going");
  CHECK(parsed_list(R"({"nodes":null,"unreachable":null,"nextPageToken":null})").next_page_token.empty());
}

TEST_CASE("unreachable locations are reported") {
  const TpuNodeList page = parsed_list(read_sample("tpu/nodes-list.wildcard-unreachable.json"));
  CHECK(page.unreachable ==
        std::vector<std::string>{"projects/example-proj/locations/us-east1-d", "projects/example-proj/locations/europe-west4-b"});
}

TEST_CASE("only wanted nodes are kept, and can be taken early") {
  TpuNodeListParser parser({"b"}, ParseLimits());
  REQUIRE(parser.feed(R"({"nodes":[{"state":"READY","name":"x/nodes/a"},{"name":"x/nodes/b"},{"name":"x/nodes/c","port":0},)").has_value());
  CHECK(parser.take_nodes().size() == 1);
  REQUIRE(parser.feed(R"({"name":"y/nodes/b"},{"name":"b2"},{"port":0}]})").has_value());
  REQUIRE(parser.finish().has_value());
  const auto nodes = parser.take_nodes();
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].name == "y/nodes/b");
  CHECK(parser.take_faults().size() == 1);  // the node without a name might have been b
}

TEST_CASE("one malformed node does not void the page") {
  const TpuNodeList page =
      parsed_list(R"({"nodes":[{"name":"a","port":0,"networkEndpoints":[{"port":[1]}]},{"name":"b"},{"state":[[1]],"name":"c"}]})");
  REQUIRE(page.nodes.size() == 1);
  CHECK(page.nodes[0].id == "b");
  REQUIRE(page.faults.size() == 2);
  CHECK(page.faults[0].id == "a");
  check_failure(page.faults[0].problem, Errc::malformed_response, "port is 0");
}

TEST_CASE("where the chunks are cut does not matter") {
  std::vector<std::string> texts = {
      R"({"nodes":[{"name":"p/nodes/\u00e9\n\ud83d\ude00x","port":"8470","health":"H\"","state":"é€😀","unknown":{"a":[1.5e3,-0,true]}},{"name":"bad","port":0}],"unreachable":["\u0041b"]})",
      "\n <html>",
      "{\"nodes\":[{\"name\":\"\xff\"}]}",
      "{\"nodes\":[tru]}",
      "{\"nodes\":[{}]} x",
      "{\"nodes\": 7}",
      "{\"nodes\":[{\"name\":\"x"};
  for (const std::string& name : samples("tpu", "nodes-list.")) texts.push_back(read_sample(name));
  for (const std::string& text : texts) {
    const std::string whole = outcome(text, text.size());
    INFO(whole);
    for (const std::size_t size : {1, 2, 3, 7, 64}) {
      const std::string pieces = outcome(text, size);
      // The byte at which broken JSON is detected may depend on the chunks; the kind of error may not.
      CHECK(pieces.substr(0, pieces.find(" at byte ")) == whole.substr(0, whole.find(" at byte ")));
    }
  }
}

TEST_CASE("a list cut short is an error at every byte") {
  for (const std::string& name : samples("tpu", "nodes-list.")) {
    std::string text = read_sample(name);
    text.erase(text.find_last_of('}') + 1);
    for_each_prefix(text, [&](std::string_view part) {
      if (parse_tpu_node_list(part).has_value() != (part.size() == text.size())) FAIL_CHECK(name << " of " << part.size() << " bytes");
    });
  }
}

TEST_CASE("hostile lists") {
  const auto bad = Errc::malformed_response;
  check_refused_list("", bad, "empty");
  check_refused_list("{", bad, "cut short after 1 bytes");
  check_refused_list(read_sample("errors/google.502.html"), bad, "an HTML page");
  check_refused_list("[]", bad, "the document is not an object");
  check_refused_list("\"x\"", bad, "the document is not an object");
  check_refused_list(R"({"nodes":{}})", bad, "nodes is not an array");
  check_refused_list(R"({"nodes":[{},7]})", bad, "nodes[1] is not an object");
  check_refused_list(R"({"nodes":[[]]})", bad, "nodes[0] is not an object");
  check_refused_list(R"({"nextPageToken":{}})", bad, "nextPageToken is not a text");
  check_refused_list(R"({"unreachable":["a",1]})", bad, "unreachable[1] is not a text");
  check_refused_list(R"({"unreachable":[{}]})", bad, "unreachable[0] is not a text");
  check_refused_list("{\"x\":" + nested(1000) + "}", Errc::limit_exceeded, "nests too deeply");
  check_refused_list("{\"nodes\":[{\"x\":" + nested(1000) + "}]}", Errc::limit_exceeded, "nests too deeply");
  check_refused_list("{\"nodes\":[{\"name\":\"" + std::string(10'000'000, 'n') + "\"}]}", Errc::limit_exceeded, "name is longer");
  check_refused_list("{\"nextPageToken\":\"" + std::string(10'000'000, 'n') + "\"}", Errc::limit_exceeded, "more than 16384 bytes");
  ParseLimits limits;
  limits.max_nodes = 2;
  CHECK(parse_tpu_node_list(R"({"nodes":[{},{}]})", limits).has_value());
  CHECK(parse_tpu_node_list(R"({"nodes":[{},{},{}]})", limits).error().code() == Errc::limit_exceeded);
}
