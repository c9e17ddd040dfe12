#include "fleet/xds/wire/discovery.hpp"

#include <catch2/catch.hpp>

#include "fleet/xds/discovery_bytes.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using fleet::DiscoveryRequest;
using fleet::ResourceType;

TEST_CASE("A request of endpoint discovery is read in protobuf", "[fleet]") {
  const DiscoveryRequest request = value_of(DiscoveryRequest::parse(
      text_field(1, "51.4") + asked(ResourceType::endpoints, {"b", "a", "b"}, "7", "no such field") + text_field(99, "whatever")));
  CHECK(request.version == "51.4");
  CHECK(request.node == "node-1");
  CHECK(request.names == std::vector<std::string>{"a", "b"});
  CHECK(fleet::resource_type_of(request.type_url) == ResourceType::endpoints);
  CHECK(request.nonce == "7");
  CHECK(request.error == "no such field");
  // An error without a message is still an error.
  CHECK(value_of(DiscoveryRequest::parse(text_field(6, ""))).error == "");
  CHECK_FALSE(value_of(DiscoveryRequest::parse("")).error);
}

TEST_CASE("A request of endpoint discovery is read in JSON, in either spelling", "[fleet]") {
  const DiscoveryRequest request = value_of(DiscoveryRequest::parse_json(
      R"({"version_info": "v", "node": {"id": "envoy", "extensions": [1, {}]}, "resource_names": ["b", "a"],
          "type_url": "t", "response_nonce": "n", "error_detail": {"code": 3, "message": "no"}})"));
  const DiscoveryRequest other = value_of(DiscoveryRequest::parse_json(
      R"({"versionInfo": "v", "node": {"id": "envoy"}, "resourceNames": ["a", "b"], "typeUrl": "t", "responseNonce": "n",
          "errorDetail": {"message": "no"}})"));
  for (const DiscoveryRequest* one : {&request, &other}) {
    CHECK(one->version == "v");
    CHECK(one->node == "envoy");
    CHECK(one->names == std::vector<std::string>{"a", "b"});
    CHECK(one->type_url == "t");
    CHECK(one->nonce == "n");
    CHECK(one->error == "no");
  }
  CHECK(value_of(DiscoveryRequest::parse_json("{}")).names.empty());
}

TEST_CASE("What is no request of endpoint discovery is refused", "[fleet]") {
  for (const std::string& bytes : {std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), std::string("\x1a\x05name"),
                                   std::string("\x1b\x00", 2), std::string("\x02\x00", 2), text_field(2, "\x0a\x50"),
                                   text_field(6, "\x12\x7f"), std::string("\x1a\xff\xff\xff\xff\x0f"), std::string("{}")}) {
    check_failure(DiscoveryRequest::parse(bytes), Errc::malformed_response, "no DiscoveryRequest");
  }
  for (const std::string& text : {std::string("[]"), std::string("null"), std::string("{"), std::string(R"({"resource_names": "a"})"),
                                  std::string(R"({"resource_names": [1]})")}) {
    CHECK(DiscoveryRequest::parse_json(text).has_error());
  }
}

TEST_CASE("A request with too much in it is refused before it is unpacked, and long words are cut", "[fleet]") {
  std::vector<std::string> many;
  for (int i = 0; i < 100'000; ++i) many.push_back("tpu:n" + std::to_string(i));
  check_failure(DiscoveryRequest::parse(asked(ResourceType::endpoints, many)), Errc::limit_exceeded, "more than 1000");
  std::string listed = R"({"resource_names": [)";
  for (int i = 0; i < 1001; ++i) listed += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + "\"";
  check_failure(DiscoveryRequest::parse_json(listed + "]}"), Errc::limit_exceeded, "more than 1000");
  check_failure(DiscoveryRequest::parse(asked(ResourceType::endpoints, {std::string(4097, 'n')})), Errc::limit_exceeded, "4096");
  CHECK(DiscoveryRequest::parse_json(std::string(300'000, ' ') + "{}").has_error());
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  CHECK(DiscoveryRequest::parse_json(R"({"node": {"metadata": )" + deep + "}}").has_error());
  const DiscoveryRequest huge =
      value_of(DiscoveryRequest::parse(text_field(2, text_field(1, std::string(200'000, 'x'))) + text_field(5, std::string(9000, 'y'))));
  CHECK(huge.node.size() == 1024);
  CHECK(huge.nonce.size() == 1024);
}

TEST_CASE("An answer of endpoint discovery frames its resources", "[fleet]") {
  const auto resource = std::make_shared<const std::string>(text_field(1, "type") + text_field(2, "value"));
  const auto response =
      read_as<wire::xds::DiscoveryResponse>(render_discovery(ResourceType::listener, "51.9", "3", {resource, resource}).text());
  CHECK(response.version_info() == "51.9");
  CHECK(response.nonce() == "3");
  CHECK(response.type_url() == "type.googleapis.com/envoy.config.listener.v3.Listener");
  REQUIRE(response.resources_size() == 2);
  CHECK(response.resources(1) == *resource);
}
