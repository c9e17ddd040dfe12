// Why a pod has no node: its claims, its autoscaler, its scheduler.
#include <catch2/catch.hpp>

#include "resolvers/kubernetes/chain/rules/chain_support.hpp"
#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("a pod without a node: its claim, its autoscaler, a scheduler that does not run") {
  ClusterStatus status;
  status.members = {waiting_member(0, "a", ""), waiting_member(1, "b", "")};
  status.members[0].causes.emplace_back(CauseLayer::schedule, "Unschedulable", "pod has unbound immediate PersistentVolumeClaims",
                                        "Pod p-0");
  ChainFacts facts = facts_now();
  for (const char* const uid : {"a", "b"}) {
    StuckPod& pod = facts.pods.emplace_back();
    pod.object.namespace_name = "train";
    pod.object.uid = uid;
    pod.object.created = facts.at - std::chrono::minutes(3);
    pod.scheduler = "gang-scheduler";
  }
  facts.pods[0].claims = {"dataset"};
  KubeCondition& scheduled = facts.pods[0].conditions.emplace_back();
  scheduled.type = "PodScheduled";
  scheduled.status = "False";
  VolumeClaim& claim = facts.claims.emplace_back(
      parse_volume_claim(
          R"({"metadata":{"name":"dataset","namespace":"train","uid":"c-1"},"spec":{"storageClassName":"lustre"},"status":{"phase":"Pending"}})",
          ParseLimits())
          .value());
  claim.object.namespace_name = "train";
  facts.events.take(event_of(claim.object.uid, "ProvisioningFailed", "storageclass.storage.k8s.io \"lustre\" not found"));
  facts.events.take(event_of("a", "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached"));
  explain(status, facts);
  CHECK_THAT(
      chain_text(status.members[0].causes),
      Catch::StartsWith("schedule ProvisioningFailed: it is Pending, storage class lustre: storageclass.storage.k8s.io \"lustre\" not "
                        "found (PersistentVolumeClaim dataset) | schedule Unschedulable") &&
          Contains("max node group size"));
  CHECK_THAT(chain_text(status.members[1].causes), Contains("NoScheduler") && Contains("gang-scheduler"));
}

TEST_CASE("a scheduler has looked at a pod of whose gang it says that it does not fit") {
  const auto causes_with = [](const std::string& phase, bool is_refused) {
    ClusterStatus status;
    status.members = {waiting_member(0, "a", "")};
    status.members[0].causes.emplace_back(CauseLayer::schedule, "NoScheduler", "no scheduler has looked at it", "pod");
    ChainFacts facts = facts_now();
    StuckPod& pod = facts.pods.emplace_back();
    pod.object.uid = "a";
    pod.object.created = facts.at - std::chrono::minutes(3);
    pod.scheduler = "volcano";
    pod.groups.emplace_back("scheduling.volcano.sh", "g");
    PodGroup& group = facts.groups.emplace_back();
    group.object.kind = "PodGroup";
    group.object.name = "g";
    group.phase = phase;
    if (is_refused) {
      KubeCondition& refused = group.conditions.emplace_back();
      refused.type = "Unschedulable";
      refused.status = "True";
      refused.reason = "NotEnoughResources";
    }
    explain(status, facts);
    return chain_text(status.members[0].causes);
  };
  CHECK(causes_with("Pending", true) == "schedule NotEnoughResources (PodGroup g)");
  CHECK(causes_with("Inqueue", true) == "schedule NotEnoughResources (PodGroup g)");
  CHECK_THAT(causes_with("Pending", false), Contains("NoScheduler"));
}

TEST_CASE("a claim that is bound when its pod has a node does not hold the pod up") {
  ChainFacts facts = facts_now();
  StuckPod& pod = facts.pods.emplace_back();
  pod.object.namespace_name = "train";
  pod.object.uid = "a";
  pod.claims = {"data"};
  VolumeClaim& claim = facts.claims.emplace_back();
  claim.object.name = "data";
  claim.object.namespace_name = "train";
  claim.object.uid = "c-1";
  claim.phase = "Pending";
  facts.events.take(event_of("a", "FailedScheduling", "0/2 nodes are available: 2 Insufficient nvidia.com/gpu"));
  KubeEvent by_karpenter = event_of("a", "FailedScheduling", "did not tolerate taint team=other:NoSchedule");
  by_karpenter.component = "karpenter";
  facts.events.take(by_karpenter);
  const auto causes_with = [&facts](const std::string& said) {
    ClusterStatus status;
    Member& member = status.members.emplace_back(waiting_member(0, "a", ""));
    member.causes.emplace_back(CauseLayer::schedule, "Unschedulable", said, "scheduler default-scheduler");
    explain(status, facts);
    return chain_text(status.members[0].causes);
  };
  CHECK(causes_with("0/2 nodes are available: 2 Insufficient nvidia.com/gpu") ==
        "schedule Unschedulable: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu (scheduler default-scheduler) | "
        "schedule FailedScheduling: did not tolerate taint team=other:NoSchedule (karpenter)");
  CHECK_THAT(causes_with("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims"),
             Catch::StartsWith("schedule UnboundClaim: it is Pending (PersistentVolumeClaim data)"));
}

TEST_CASE("a scheduler that has written an event has looked at the pod, though the pod has no condition yet") {
  ClusterStatus status;
  Member& member = status.members.emplace_back(waiting_member(0, "a", ""));
  member.causes.emplace_back(CauseLayer::schedule, "NoScheduler", "no scheduler has looked at it, its schedulerName is mine", "pod");
  ChainFacts facts = facts_now();
  facts.events.take(event_of("a", "FailedScheduling", "0/4 nodes are available: 4 Insufficient google.com/tpu. preemption: none"));
  explain(status, facts);
  REQUIRE(status.members[0].causes.size() == 1);
  CHECK_THAT(
      chain_text(status.members[0].causes),
      Catch::StartsWith("schedule FailedScheduling: 0/4 nodes are available: 4 Insufficient google.com/tpu") && !Contains("preemption"));
}
