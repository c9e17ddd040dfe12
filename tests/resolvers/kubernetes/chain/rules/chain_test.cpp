// The chain of causes of a cluster's members.
#include <catch2/catch.hpp>

#include "resolvers/kubernetes/chain/rules/chain_support.hpp"
#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("a pod that only says ContainerCreating: its volume, or the image that is being pulled") {
  ClusterStatus status;
  status.members = {waiting_member(0, "a"), waiting_member(1, "b"), waiting_member(2, "c")};
  status.members[0].causes.emplace_back(CauseLayer::container, "ContainerCreating", "", "container trainer");
  ChainFacts facts = facts_now();
  facts.events.take(event_of("a", "FailedMount", "MountVolume.SetUp failed for volume \"key\" : secret \"wandb\" not found"));
  facts.events.take(event_of("b", "FailedMount", "an earlier trouble", 0));
  facts.events.take(event_of("b", "Pulling", "Pulling image \"x\"", 2, "trainer"));
  facts.events.take(event_of("c", "Pulling", "Pulling image \"x\"", 2, "trainer"));
  facts.events.take(event_of("c", "Pulled", "Successfully pulled", 3, "trainer"));
  explain(status, facts);
  CHECK(chain_text(status.members[0].causes) ==
        "volume FailedMount: MountVolume.SetUp failed for volume \"key\" : secret \"wandb\" not found");
  CHECK(chain_text(status.members[1].causes) == "image Pulling image \"x\" (container trainer)");
  CHECK(status.members[2].causes.empty());
}

TEST_CASE("events of another pod of the same name say nothing") {
  ClusterStatus status;
  status.members = {waiting_member(0, "new")};
  ChainFacts facts = facts_now();
  facts.events.take(event_of("old", "FailedMount", "of the former pod"));
  explain(status, facts);
  CHECK(status.members[0].causes.empty());
}

TEST_CASE("an old mount failure does not stand beside what the pod says itself") {
  ClusterStatus status;
  status.members = {waiting_member(0, "a")};
  status.members[0].causes.emplace_back(CauseLayer::image, "ErrImagePull", "not found", "container trainer");
  ChainFacts facts = facts_now();
  facts.events.take(event_of("a", "FailedMount", "an earlier trouble"));
  explain(status, facts);
  CHECK(chain_text(status.members[0].causes) == "image ErrImagePull: not found (container trainer)");
}

TEST_CASE("a dead GPU under a ready pod is a warning, a dead kubelet makes it wait") {
  ClusterStatus status;
  status.members = {ready_member(0, "g1"), ready_member(1, "g2"), ready_member(2, "g3")};
  status.expected = 3;
  ChainFacts facts = facts_now();
  for (const auto& [name, type, state] :
       {std::tuple("g1", "Ready", "True"), std::tuple("g2", "SysLogsXIDError", "True"), std::tuple("g3", "Ready", "Unknown")}) {
    NodeFacts node;
    node.name = name;
    KubeCondition& condition = node.conditions.emplace_back();
    condition.type = type;
    condition.status = state;
    condition.reason = "NodeStatusUnknown";
    condition.message = "words";
    facts.nodes.emplace(name, node);
  }
  explain(status, facts);
  CHECK(status.members[0].causes.empty());
  CHECK(chain_text(status.members[1].causes) == "node SysLogsXIDError: words (Node g2)");
  CHECK(status.members[1].state.level == MemberState::ready);
  CHECK(status.members[1].health.level == MemberState::ready);
  CHECK(chain_text(status.members[2].causes) == "node NodeStatusUnknown: words (Node g3)");
  CHECK(status.members[2].health.level == MemberState::waiting);
}

TEST_CASE("pods that could not be created: the words are on what creates them") {
  EventBook book;
  EventListParser parser(book, ParseLimits());
  REQUIRE(parser.feed(read_sample("kubernetes/chain/events.quota-exceeded.json")));
  REQUIRE(parser.finish());
  const std::vector<const KubeEvent*> failed = book.with("FailedCreate");
  REQUIRE_FALSE(failed.empty());
  ClusterStatus status;
  status.members = {ready_member(0, "g1"), ready_member(2, "g2")};
  status.expected = 4;
  ChainFacts facts = facts_now();
  KubeObject& job = facts.owners.emplace_back();
  job.kind = "Job";
  job.name = "trainer";
  job.uid = failed.front()->uid;
  facts.events = book;
  facts.quotas =
      parse_full_quotas(R"({"items":[)" + read_sample("kubernetes/chain/resourcequota.exceeded.json") + "]}", ParseLimits()).value();
  explain(status, facts);
  REQUIRE(status.causes.size() == 1);
  CHECK(status.causes.front().layer == CauseLayer::creation);
  CHECK(status.causes.front().object == "Job trainer");
  CHECK_THAT(status.causes.front().text, Contains("exceeded quota: gpus") && Contains("now 16 of 16 requests.nvidia.com/gpu are used"));
  CHECK_THAT(status.causes.front().text, !Contains("Error creating"));
  status.expected = 2;
  status.causes.clear();
  explain(status, facts);
  CHECK(status.causes.empty());
}

TEST_CASE("what a controller warns of itself is told where pods are missing and nothing else says why") {
  const auto causes_with = [](const std::string& reason, const std::string& words, const std::string& kind, CauseLayer layer) {
    ClusterStatus status;
    status.expected = 2;
    if (layer != CauseLayer::creation) status.causes.emplace_back(layer, "Before", "words", "");
    ChainFacts facts = facts_now();
    KubeObject& owner = facts.owners.emplace_back();
    owner.kind = kind;
    owner.name = "t";
    owner.uid = "o-1";
    KubeEvent event = event_of("o-1", reason, words);
    event.kind = kind;
    event.name = "t";
    facts.events.take(event);
    explain(status, facts);
    const ClusterStatus once = status;
    explain(status, facts);
    CHECK(status == once);
    return chain_text(status.causes);
  };
  const std::string words = "worker pod created failed: pods \"g-worker-0\" is forbidden: exceeded quota: gpus";
  CHECK(causes_with("MPIJobFailed", words, "MPIJob", CauseLayer::creation) == "creation MPIJobFailed: " + words + " (MPIJob t)");
  CHECK(causes_with("TrainJobResourcesCreationFailed", "denied the request", "TrainJob", CauseLayer::workload) ==
        "workload Before: words | creation TrainJobResourcesCreationFailed: denied the request (TrainJob t)");
  CHECK(causes_with("Stopped", "an earlier one", "Job", CauseLayer::queue) == "queue Before: words");
  CHECK(causes_with("BackOff", "of a member", "Pod", CauseLayer::creation).empty());
}

TEST_CASE("without events a quota that is used up may be the reason, and is said to be no more") {
  ClusterStatus status;
  ChainFacts facts;
  FullQuota& quota = facts.quotas.emplace_back();
  quota.quota = "gpus";
  quota.resource = "requests.nvidia.com/gpu";
  quota.used = quota.hard = "16";
  explain(status, facts);
  REQUIRE(status.causes.size() == 1);
  CHECK_THAT(status.causes.front().text, Contains("16 of 16 are used; this may be"));
}

TEST_CASE("a suspended job: by its queue, or by a person") {
  const auto with_queue = [](const std::string& queue, void (*change)(ChainFacts&), const char* said = nullptr) {
    ClusterStatus status;
    if (said) status.causes.emplace_back(CauseLayer::queue, "Suspended", said, "Job t");
    ChainFacts facts = facts_now();
    KubeObject& job = facts.owners.emplace_back();
    job.kind = "Job";
    job.name = "t";
    job.uid = "u";
    job.queue = queue;
    job.is_suspended = true;
    change(facts);
    explain(status, facts);
    return chain_text(status.causes);
  };
  CHECK(with_queue("", [](ChainFacts&) {}) == "workload Suspended: it is suspended, and no queue is named (Job t)");
  CHECK_THAT(with_queue("team-a", [](ChainFacts& f) { f.is_kueue_absent = true; }), Contains("queue NoQueue"));
  CHECK_THAT(with_queue("team-a", [](ChainFacts& f) { f.has_queues = true; }), Contains("queue NoWorkload"));
  CHECK_THAT(with_queue(
                 "team-a", [](ChainFacts& f) { f.is_kueue_absent = true; }, "is suspended: queue team-a"),
             Catch::StartsWith("queue Suspended: is suspended: queue team-a (Job t) | queue NoQueue"));
  CHECK_THAT(with_queue("team-a",
                        [](ChainFacts& f) {
                          f.has_queues = true;
                          KubeCondition& quota = f.workloads.emplace_back().conditions.emplace_back();
                          quota.type = "QuotaReserved";
                          quota.status = "False";
                          quota.reason = "Pending";
                          quota.message = "insufficient unused quota";
                        }),
             Contains("workload Suspended") && Contains("| queue Pending: insufficient unused quota"));
  CHECK_THAT(with_queue("team-a",
                        [](ChainFacts& f) {
                          f.has_queues = true;
                          KubeCondition& admitted = f.workloads.emplace_back().conditions.emplace_back();
                          admitted.type = "Admitted";
                          admitted.status = "True";
                        }),
             Contains("suspended all the same"));
}

TEST_CASE("of a gang the reason stands in one pod, and is named for all") {
  ClusterStatus status;
  for (int i = 0; i < 4; ++i) {
    Member& member = status.members.emplace_back(waiting_member(i, std::to_string(i), ""));
    member.causes.emplace_back(CauseLayer::schedule, "Unschedulable",
                               i == 2 ? "0/3 nodes are available: 3 Insufficient nvidia.com/gpu"
                                      : "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled",
                               "");
  }
  explain(status, facts_now());
  CHECK_THAT(chain_text(status.members[0].causes),
             Catch::StartsWith("schedule Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu (worker 2"));
  CHECK(status.members[2].causes.size() == 1);
}

TEST_CASE("the words of a readiness probe are in an event") {
  ClusterStatus status;
  status.members = {ready_member(0, "g1")};
  status.members[0].health = Condition(MemberState::waiting, "Running, not Ready");
  status.members[0].causes.emplace_back(CauseLayer::readiness, "NotReady", "", "container trainer");
  ChainFacts facts = facts_now();
  facts.events.take(event_of("r-0", "Unhealthy", "Readiness probe failed: no checkpoint", 1, "trainer"));
  explain(status, facts);
  CHECK(chain_text(status.members[0].causes) == "readiness Unhealthy: Readiness probe failed: no checkpoint (container trainer)");
}

TEST_CASE("applying the same facts again changes nothing") {
  ClusterStatus status;
  status.members = {waiting_member(0, "a"), ready_member(1, "g3")};
  ChainFacts facts = facts_now();
  facts.events.take(event_of("a", "FailedMount", "words"));
  NodeFacts node;
  node.name = "g3";
  node.is_cordoned = true;
  facts.nodes.emplace("g3", node);
  explain(status, facts);
  const ClusterStatus once = status;
  explain(status, facts);
  CHECK(status == once);
}
