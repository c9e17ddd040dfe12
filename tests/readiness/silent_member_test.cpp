// The message for a silent member.
#include <catch2/catch.hpp>

#include "rollcall/tpu_resolver.hpp"
#include "rollcall/wait.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/wait_story.hpp"

using namespace rollcall;
using rollcall::testing::CloudLoop;
using rollcall::testing::WaitStory;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("a runtime that accepts the call and sends nothing is silent from the time of the request on") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-8", "endpoints": ["10.0.0.1"],
                             "workers": {"runtime": "tensorflow", "fault": "stall"}}]})");
  WaitStory story;
  const auto result =
      t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, TpuOptions("trainer").project("example-proj").zone("us-central2-b")),
                                 usually_ready | Readiness::devices, story.options().timeout(2min)));
  REQUIRE(result.has_error());
  CHECK(story.lines.back() == "0/1 ready · waiting for worker 0 (10.0.0.1:8470): its runtime is silent for 5.0 s");
  CHECK_THAT(result.error().what(), Contains("worker 0 (10.0.0.1:8470): its runtime is silent for 2 m"));
  CHECK(result.error().what().find("DEADLINE_EXCEEDED") == std::string::npos);
}
