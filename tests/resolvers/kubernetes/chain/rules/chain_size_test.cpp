// Pods that ask for more than any machine has.
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
