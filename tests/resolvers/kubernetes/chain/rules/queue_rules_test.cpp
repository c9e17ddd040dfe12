// What Kueue's Workloads say.
#include "resolvers/kubernetes/chain/rules/queue_rules.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

// The causes of the workload of this JobSet, a line each.
std::vector<Cause> causes_of(const std::string& owner) {
  const Result<std::vector<QueueWorkload>> all = parse_queue_workloads(read_sample("kubernetes/chain/kueue-workloads.json"), ParseLimits());
  REQUIRE(all);
  for (const QueueWorkload& one : *all) {
    if (one.object.owner_name == owner) return queue_causes(one);
  }
  FAIL("no workload of " << owner);
  return {};
}

}  // namespace

TEST_CASE("quota that is missing, by the older and the newer reason") {
  for (const auto& [owner, reason] : {std::pair("waiting", "Pending"), std::pair("waiting-newer", "WaitingForQuota")}) {
    const std::vector<Cause> causes = causes_of(owner);
    REQUIRE(causes.size() == 1);
    CHECK(causes.front().layer == CauseLayer::queue);
    CHECK(causes.front().code == reason);
    CHECK_THAT(causes.front().text, Contains("256 more needed"));
    CHECK(causes.front().object == "LocalQueue team-a");
    CHECK(causes.front().since.has_value());
    CHECK_FALSE(causes.front().is_final);
  }
  CHECK(causes_of("too-big").front().is_final);
  CHECK(causes_of("no-queue").front().code == "Inadmissible");
  CHECK_THAT(causes_of("stopped-queue").front().text, Contains("ClusterQueue gpu is stopped"));
  CHECK_THAT(causes_of("topology").front().text, Contains("12 out of 16"));
}

TEST_CASE("a check that is pending, an eviction, a requeue, a switch that is off") {
  const std::vector<Cause> checked = causes_of("checked");
  REQUIRE(checked.size() == 1);
  CHECK(checked.front().object == "AdmissionCheck dws");
  CHECK_THAT(checked.front().text, Contains("not enough resources"));
  const std::vector<Cause> preempted = causes_of("preempted");
  REQUIRE(preempted.size() == 2);
  CHECK(preempted[0].code == "Preempted");
  CHECK_THAT(preempted[1].text, Contains("128 more needed"));
  const std::vector<Cause> late = causes_of("timed-out");
  REQUIRE(late.size() == 2);
  CHECK(late[0].code == "PodsReadyTimeout");
  CHECK_THAT(late[1].text, Contains("2026-11-26T14:00:48Z"));
  const std::vector<Cause> off = causes_of("off");
  REQUIRE(off.size() == 1);
  CHECK(off.front().is_final);
  CHECK(off.front().code == "DeactivatedDueToRequeuingLimitExceeded");
}

TEST_CASE("an admitted workload is not held") { CHECK(causes_of("starting").empty()); }

TEST_CASE("a workload without conditions has not been looked at") {
  const Result<std::vector<QueueWorkload>> all =
      parse_queue_workloads(R"({"items":[{"metadata":{"name":"w"},"spec":{"queueName":"q"}}]})", ParseLimits());
  REQUIRE(all);
  const std::vector<Cause> causes = queue_causes(all->front());
  REQUIRE(causes.size() == 1);
  CHECK(causes.front().code == "Pending");
  CHECK_FALSE(parse_queue_workloads("{}", ParseLimits()));
}

TEST_CASE("a local queue that is on hold, and the version of a group") {
  CHECK(parse_preferred_version(R"({"preferredVersion":{"version":"v1beta2"}})", ParseLimits()).value() == "v1beta2");
  CHECK(parse_preferred_version("{}", ParseLimits()).value().empty());
  CHECK_FALSE(parse_preferred_version(R"({"preferredVersion":{"version":"../x"}})", ParseLimits()));
  const Result<std::optional<KubeCondition>> held = parse_local_queue_fault(R"({"spec":{"stopPolicy":"Hold"}})", ParseLimits());
  REQUIRE(held);
  REQUIRE(*held);
  CHECK((*held)->reason == "Hold");
  CHECK_FALSE(parse_local_queue_fault(R"({"spec":{"stopPolicy":"None"},"status":{"conditions":[{"type":"Active","status":"True"}]}})",
                                      ParseLimits())
                  .value());
}
