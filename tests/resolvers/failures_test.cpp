// Messages of failures of the TPU resolver and the metadata server, and redirects that are followed.
#include <catch2/catch.hpp>

#include "rollcall/tpu_resolver.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;

namespace {

HttpResponse metadata(std::string value, int status = 200) {
  HttpResponse response = rollcall::testing::ScriptedTransport::reply(status, std::move(value));
  response.headers.add("Metadata-Flavor", "Google");
  return response;
}

HttpResponse moved(const std::string& location) {
  HttpResponse response = metadata("", 301);
  response.headers.add("Location", location);
  return response;
}

TpuOptions trainer_options() { return TpuOptions("trainer").project("p").zone("z"); }

}  // namespace

TEST_CASE("an unusable answer is reported with the URL and status of its request") {
  const std::string body = GENERATE(as<std::string>{}, R"({"state":"CREATING"})", R"({"state":"READY"})",
                                    R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1"}]})");
  CAPTURE(body);
  TestRuntime t;
  t.answer(200, body);
  const auto spec = t.run(make_tpu_resolver(t.runtime, trainer_options())->try_cluster_spec());
  REQUIRE(spec.has_error());
  CHECK(spec.error().target() == "https://tpu.googleapis.com/v2/projects/p/locations/z/nodes/trainer");
  CHECK(spec.error().last_status() == 200);
  CHECK_THAT(t.run(make_tpu_resolver(t.runtime, trainer_options())->try_num_accelerators()).error().message(),
             Catch::Contains("nodes/trainer"));
}

TEST_CASE("the metadata server may redirect a request to itself") {
  const std::string there =
      GENERATE(as<std::string>{}, "/computeMetadata/v1/project/there", "http://Metadata.google.internal/computeMetadata/v1/project/there");
  TestRuntime t;
  const auto tpu = make_tpu_resolver(t.runtime, TpuOptions("trainer").zone("z"));
  t.transport->answers.emplace_back(moved(there));
  t.transport->answers.emplace_back(metadata("my-project"));
  t.answer(200, R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1","port":8470}]})");
  CHECK(t.run(tpu->try_cluster_spec()).has_value());
  REQUIRE(t.transport->requests.size() == 3);
  CHECK(t.transport->requests[1].url.host == "metadata.google.internal");
  CHECK(t.transport->requests[1].url.target == "/computeMetadata/v1/project/there");
  CHECK(t.transport->requests[1].headers.get("Metadata-Flavor") == "Google");
}

TEST_CASE("the metadata server may not redirect a request to another server, or repeatedly") {
  TestRuntime t;
  const auto tpu = make_tpu_resolver(t.runtime, TpuOptions("trainer").zone("z"));
  SECTION("not to another host, port or scheme") {
    const std::string elsewhere =
        GENERATE(as<std::string>{}, "http://evil.test/x", "http://metadata.google.internal:8080/x", "https://metadata.google.internal/x",
                 "https://metadata.google.internal:80/x", "//evil.test/x", "");
    CAPTURE(elsewhere);
    t.transport->answers.emplace_back(moved(elsewhere));
    CHECK(t.run(tpu->try_cluster_spec()).error().last_status() == 301);
    CHECK(t.transport->requests.size() == 1);
  }
  SECTION("not in circles") {
    for (int i = 0; i < 10; ++i) t.transport->answers.emplace_back(moved("/computeMetadata/v1/" + std::to_string(i)));
    CHECK(t.run(tpu->try_cluster_spec()).error().last_status() == 301);
    CHECK(t.transport->requests.size() == 4);
  }
}

TEST_CASE("off the cloud the advice is how to give a token") {
  TestRuntime t({}, {}, default_credentials());
  t.answer(Failure(Errc::unreachable, "refused").with_phase(Phase::connect).with_hint("check the address"));
  const auto spec = t.run(make_tpu_resolver(t.runtime, trainer_options())->try_cluster_spec());
  CHECK_THAT(spec.error().hint(), Catch::Contains("ROLLCALL_ACCESS_TOKEN"));
}
