// The limits of a Runtime apply to every parsed answer, even with a small parser.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "rollcall/sagemaker_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using Catch::Contains;
using rollcall::testing::TestRuntime;

namespace {

constexpr const char* three_workers = R"({"state":"READY","health":"HEALTHY","acceleratorType":"v4-24","networkEndpoints":[
  {"ipAddress":"10.0.0.1","port":8470},{"ipAddress":"10.0.0.2","port":8470},{"ipAddress":"10.0.0.3","port":8470}]})";

TpuOptions limited_trainer() { return TpuOptions("trainer").project("p").zone("z"); }

// The failure of a TPU's spec, or "accepted".
std::string reported(TestRuntime& t, TpuOptions options) {
  const auto spec = t.run(make_tpu_resolver(t.runtime, std::move(options))->try_cluster_spec());
  return spec ? "accepted" : fmt::format("{}: {}", to_string(spec.error().code()), spec.error().message());
}

}  // namespace

TEST_CASE("a TPU's node has no longer text and no more endpoints than the runtime's limits say") {
  const std::string talk = R"({"health":")" + std::string(101, 'h') + R"(",)" + std::string(three_workers).substr(1);
  Limits limits;
  limits.max_string_bytes = 100;
  limits.max_endpoints = 3;
  TestRuntime fitting({}, limits);
  fitting.answer(200, three_workers);
  CHECK(reported(fitting, limited_trainer()) == "accepted");
  TestRuntime long_text({}, limits);
  long_text.answer(200, talk);
  CHECK_THAT(reported(long_text, limited_trainer()), Contains("limit_exceeded") && Contains("longer than 100 bytes"));
  limits.max_endpoints = 2;
  TestRuntime many({}, limits);
  many.answer(200, three_workers);
  CHECK_THAT(reported(many, limited_trainer()), Contains("limit_exceeded") && Contains("too many networkEndpoints"));
  // Longer texts than the parser's own default are accepted if the Runtime allows them.
  TestRuntime usual;
  usual.answer(200, R"({"health":")" + std::string(20'000, 'h') + R"(",)" + std::string(three_workers).substr(1));
  CHECK(reported(usual, limited_trainer()) == "accepted");
}

TEST_CASE("a discovery document is nested no deeper than the runtime's limits say") {
  const std::string document = R"({"rootUrl":"https://tpu.googleapis.com/","servicePath":"","schemas":{"a":{"b":{"c":[]}}}})";
  Limits limits;
  limits.max_json_depth = 4;
  TestRuntime t({}, limits);
  t.answer(200, document);
  t.answer(200, three_workers);
  CHECK_THAT(reported(t, limited_trainer().discovery_url("https://tpu.googleapis.com/discovery")),
             Contains("limit_exceeded") && Contains("the discovery document"));
  limits.max_json_depth = 5;
  TestRuntime deep({}, limits);
  deep.answer(200, document);
  deep.answer(200, three_workers);
  CHECK(reported(deep, limited_trainer().discovery_url("https://tpu.googleapis.com/discovery")) == "accepted");
}

TEST_CASE("SM_HOSTS has no more hosts than the runtime's limits say") {
  Limits limits;
  limits.max_endpoints = 2;
  TestRuntime t({{"SM_HOSTS", R"(["a","b","c"])"}, {"SM_CURRENT_HOST", "a"}}, limits);
  const auto spec = t.run(make_sagemaker_resolver(t.runtime)->try_cluster_spec());
  REQUIRE(spec.has_error());
  CHECK_THAT(spec.error().message(), Contains("SM_HOSTS has more than 2 hosts"));
}
