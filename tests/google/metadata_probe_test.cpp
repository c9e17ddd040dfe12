#include <catch2/catch.hpp>

#include "rollcall/cloud_tpu_client.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::ScriptedTransport;
using rollcall::testing::TestRuntime;
using namespace std::chrono_literals;

namespace {

ScriptedTransport::Answer flavored(int status) {
  HttpResponse response = ScriptedTransport::reply(status, "");
  response.headers.add("Metadata-Flavor", "Google");
  return ScriptedTransport::Answer(std::move(response));
}

}  // namespace

TEST_CASE("the probe of the metadata server is one logged request without a token") {
  for (const int status : {200, 404, 503}) {
    CAPTURE(status);
    TestRuntime t;
    t.transport->answers.push_back(flavored(status));
    CHECK(t.run(is_running_in_gce(t.runtime, CallOptions())) == (status == 200));
    REQUIRE(t.transport->requests.size() == 1);
    CHECK(t.transport->requests.front().bearer.empty());
    const std::vector<std::string>& lines = t.log->lines;
    CHECK(std::count(lines.begin(), lines.end(), "attempt_started") == 1);
  }
}

TEST_CASE("a probe without an answer ends after its second, and is not recorded as trouble of the call") {
  TestRuntime t;
  t.answer(Failure(Errc::connect_timeout, "silent").with_phase(Phase::connect));
  CHECK_FALSE(t.run(is_running_in_gce(t.runtime, CallOptions())));
  CHECK(t.transport->requests.size() == 1);
  CHECK(t.log->lines.back() == "call_finished");
}
