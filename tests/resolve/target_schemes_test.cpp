// Targets become resolvers: rows of one's own, the spelling of every option, what a refusal says.
#include "rollcall/target_scheme.hpp"

#include <catch2/catch.hpp>

#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;

TEST_CASE("an own row without a maker, or whose maker makes nothing, is refused by name") {
  TestRuntime t;
  constexpr TargetScheme own[] = {
      {.name = "nomake", .synopsis = "nomake:"},
      {.name = "nothing", .synopsis = "nothing:", .make = [](Runtime, const Target&) -> Result<std::shared_ptr<ClusterResolver>> {
         return std::shared_ptr<ClusterResolver>();
       }}};
  for (const std::string target : {"nomake:x", "nothing:x"}) {
    CAPTURE(target);
    const auto refused = make_resolver(t.runtime, target, own);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code() == Errc::invalid_argument);
    CHECK_THAT(refused.error().message(), Catch::Contains(target.substr(0, target.find(':') + 1) + " "));
  }
  CHECK(make_resolver(t.runtime, "simple:job.w=a:1", own).has_value());
}
