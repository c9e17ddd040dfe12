// What the scheduler's words leave out: machines that are too small, and the groups that pods are placed with.
#include <catch2/catch.hpp>

#include "resolvers/kubernetes/chain/rules/chain.hpp"
#include "rollcall/cause_text.hpp"

using namespace rollcall;
using Catch::Contains;

TEST_CASE("a pod that asks for more than any node has is named, and one that only finds the cluster full is not") {
  const auto chain_of_pod = [](std::int64_t asked, std::int64_t most) {
    Member member = Member("worker", 0);
    member.uid = "u-0";
    member.state = Condition(MemberState::unschedulable, "Pending (Unschedulable)");
    member.causes.emplace_back(CauseLayer::schedule, "Unschedulable", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu",
                               "scheduler");
    ClusterStatus status;
    status.members.push_back(member);
    ChainFacts facts;
    StuckPod& pod = facts.pods.emplace_back();
    pod.object.uid = "u-0";
    pod.job = "worker";
    pod.requests["nvidia.com/gpu"] = asked;
    LargestNodes& largest = facts.largest.emplace();
    largest.nodes = 3;
    if (most > 0) {
      largest.by_resource["nvidia.com/gpu"].count = most;
      largest.by_resource["nvidia.com/gpu"].node = "g2";
    }
    explain(status, facts);
    std::string text;
    for (const Cause& cause : status.members[0].causes) text += cause_text(cause) + " by " + cause.object + "; ";
    return text;
  };
  CHECK_THAT(chain_of_pod(16, 8), Contains("no node has more than 8 nvidia.com/gpu (16 asked)") && Contains("Node g2"));
  CHECK_THAT(chain_of_pod(8, 8), !Contains("no node has"));
  CHECK_THAT(chain_of_pod(1, 0), Contains("no node has nvidia.com/gpu (1 asked)") && Contains("3 nodes"));
}

TEST_CASE("a pod that waits for its gang has the words of the group, and the reason of the pod that does not fit") {
  const std::string waits = "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled";
  ClusterStatus status;
  ChainFacts facts;
  for (int i = 0; i < 2; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    member.uid = std::to_string(i);
    member.state = Condition(MemberState::unschedulable, "Pending (Unschedulable)");
    member.causes.emplace_back(CauseLayer::schedule, "Unschedulable", i == 0 ? "3 Insufficient nvidia.com/gpu" : waits, "scheduler");
    StuckPod& pod = facts.pods.emplace_back();
    pod.object.uid = member.uid;
    pod.groups.emplace_back("scheduling.k8s.io", "g");
  }
  PodGroup& group = facts.groups.emplace_back();
  group.object.kind = "PodGroup";
  group.object.name = "g";
  KubeCondition& refused = group.conditions.emplace_back();
  refused.type = "PodGroupScheduled";
  refused.status = "False";
  refused.reason = "Unschedulable";
  refused.message = "pod group is unschedulable";
  for (int times = 0; times < 2; ++times) {
    explain(status, facts);
    const std::vector<Cause>& causes = status.members[1].causes;
    REQUIRE(causes.size() == 3);
    CHECK(causes[0].object == "PodGroup g");
    CHECK(causes[1].text == "3 Insufficient nvidia.com/gpu");
    CHECK(causes[2].text == waits);
    CHECK(status.members[0].causes.size() == 2);
  }
}
