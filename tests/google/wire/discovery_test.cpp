// Discovery templates and documents.
#include "google/wire/discovery.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("discovery templates") {
  const auto expand = [](std::string_view text) { return expand_discovery_template("TPU_API_DISCOVERY_URL", text, "tpu", "v1"); };
  CHECK(*expand("https://{api}.googleapis.com/$discovery/rest?version={apiVersion}") ==
        "https://tpu.googleapis.com/$discovery/rest?version=v1");
  CHECK(*expand("https://h/{api}/{api}/{unknown}x{_a.b}") == "https://h/tpu/tpu/x");
  CHECK(*expand("https://h/") == "https://h/");
  CHECK(*expand("") == "");
  CHECK(*expand_discovery_template("x", "{api}", "a b/?", "") == "a%20b%2F%3F");
  for (const std::string bad : {"{", "}", "{api", "api}", "{}", "{{api}}", "{+api}", "{?api}", "{api,apiVersion}", "{api:3}", "{a pi}",
                                "h/ x", "h/\x1b", "h/\n", "é"}) {
    INFO(bad);
    const Result<std::string> address = expand(bad);
    check_failure(address, Errc::invalid_argument, "TPU_API_DISCOVERY_URL");
  }
  CHECK_FALSE(expand(std::string(5000, 'x')).has_value());
  std::string bomb;
  for (int i = 0; i < 800; ++i) bomb += "{api}";
  CHECK_FALSE(expand_discovery_template("x", bomb, std::string(1000, 'a'), "").has_value());
  const std::string text = "https://{api}.x/{apiVersion}";
  for_each_prefix(text, [](std::string_view part) { (void)expand_discovery_template("x", part, "tpu", "v1"); });
}

TEST_CASE("discovery documents") {
  const DiscoveryDocument document = *parse_discovery(
      R"({"rootUrl":"https://tpu.googleapis.com/","servicePath":"","batchPath":"batch","version":"v2","resources":{"a":[]}})");
  CHECK(document.root_url == "https://tpu.googleapis.com/");
  CHECK(document.version == "v2");
  CHECK(document.base_url() == "https://tpu.googleapis.com/");
  CHECK(parse_discovery(R"({"rootUrl":"https://h:1","servicePath":"/a/b"})")->base_url() == "https://h:1/a/b/");
  CHECK(parse_discovery(R"({"rootUrl":"http://127.0.0.1:1/","servicePath":"a/"})")->base_url() == "http://127.0.0.1:1/a/");
}

TEST_CASE("discovery documents that cannot be used") {
  for (const std::string json :
       {"", "<html>", "[]", "{}", R"({"rootUrl":5})", R"({"rootUrl":""})", R"({"rootUrl":"ftp://h/"})", R"({"rootUrl":"https://"})",
        R"({"rootUrl":"https://h/?x=1"})", R"({"rootUrl":"https://u:p@h/"})", R"({"rootUrl":"https://h/\n"})",
        R"({"rootUrl":"https://h/","servicePath":[]})", R"({"rootUrl":"https://h/","servicePath":"https://evil/"})",
        R"({"rootUrl":"https://h/","servicePath":"//evil/"})", R"({"rootUrl":"https://h/","servicePath":"../x"})",
        R"({"rootUrl":"https://h/","servicePath":"a?b"})"}) {
    INFO(json);
    const Result<DiscoveryDocument> document = parse_discovery(json);
    check_failure(document, Errc::malformed_response, "discovery document");
  }
  CHECK(parse_discovery("{\"a\":" + nested(1000) + "}").error().code() == Errc::limit_exceeded);
}
