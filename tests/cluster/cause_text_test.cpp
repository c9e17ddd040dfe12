// Causes in words, and groups of members by them.
#include "rollcall/cause_text.hpp"

#include <catch2/catch.hpp>

#include "base/both_ends.hpp"
#include "rollcall/missing_groups.hpp"
#include "rollcall/warned_members.hpp"

using namespace rollcall;
using Catch::Contains;

TEST_CASE("a cause is its code, its text and the object that says so") {
  CHECK(cause_text(Cause(CauseLayer::image, "ErrImagePull", "not found", "container trainer")) ==
        "ErrImagePull: not found (container trainer)");
  CHECK(cause_text(Cause(CauseLayer::volume, "FailedMount", "secret not found", "Pod train/p-0")) == "FailedMount: secret not found");
  CHECK(cause_text(Cause(CauseLayer::gate, "SchedulingGated", "x", "pod")) == "SchedulingGated: x");
  CHECK(cause_text(Cause(CauseLayer::image, "Pulling", "Pulling image", "")) == "Pulling image");
  CHECK(cause_text(Cause(CauseLayer::node, "", "", "")) == "node");
  CHECK(cause_text(Cause(CauseLayer::workload, "DeadlineExceeded", "has failed: DeadlineExceeded: too long", "Job t")) ==
        "has failed: DeadlineExceeded: too long (Job t)");
  CHECK(cause_text(Cause(CauseLayer::container, "Error", "3 Errors were seen", "pod")) == "Error: 3 Errors were seen");
  CHECK(cause_text(Cause(CauseLayer::node, "NodeLost", "It stopped posting.", "Node n")) == "NodeLost: It stopped posting (Node n)");
  CHECK(cause_text(Cause(CauseLayer::image, "Pulling", "pulling ...", "pod")) == "Pulling: pulling ...");
}

TEST_CASE("of a long cause the beginning and the end are shown, by whole characters") {
  const std::string text = "Allocate failed: " + std::string(400, '-') + "ä: GPU is lost";
  const std::string shown = causes_text({Cause(CauseLayer::node, "UnexpectedAdmissionError", text, "Node n1")});
  CHECK_THAT(shown, Catch::StartsWith("UnexpectedAdmissionError: Allocate failed: --") && Catch::EndsWith("--ä: GPU is lost (Node n1)"));
  CHECK(shown.size() <= 200);
  CHECK(both_ends("short", 16) == "short");
  for (std::size_t most = 16; most < 60; ++most)
    CHECK(printable_line(both_ends(std::string(20, 'x') + "ääääääääääääää", most)).find("\\x") == std::string::npos);
}

TEST_CASE("of a chain the outermost two are named, and long texts are cut") {
  std::vector<Cause> chain;
  CHECK(causes_text(chain).empty());
  chain.emplace_back(CauseLayer::queue, "Pending", "no quota", "LocalQueue q");
  chain.emplace_back(CauseLayer::gate, "SchedulingGated", std::string(1000, 'x'), "");
  chain.emplace_back(CauseLayer::container, "Error", "", "");
  const std::string text = causes_text(chain);
  CHECK_THAT(text, Catch::StartsWith("Pending: no quota (LocalQueue q), SchedulingGated: xxx"));
  CHECK(text.size() < 300);
  CHECK_THAT(text, !Contains("Error"));
}

TEST_CASE("what holds up the whole comes before a member's own causes") {
  ClusterStatus status;
  status.causes.emplace_back(CauseLayer::workload, "Suspended", "", "Job t");
  status.causes.emplace_back(CauseLayer::creation, "FailedCreate", "quota", "Job t");
  Member member("worker", 0);
  member.causes.emplace_back(CauseLayer::leaving, "Preempted", "", "pod");
  const std::vector<Cause> chain = chain_of(status, member);
  REQUIRE(chain.size() == 2);
  CHECK(chain[0].code == "Suspended");
  CHECK(chain[1].code == "Preempted");
  CHECK(chain_of_absent(status).size() == 2);
}

TEST_CASE("members with the same chain are one group, whatever their pods are called") {
  std::vector<MissingMember> missing(3);
  for (int i = 0; i < 3; ++i) {
    MissingMember& one = missing[static_cast<std::size_t>(i)];
    one.member = Member("worker", i);
    one.member.causes.emplace_back(CauseLayer::volume, "FailedMount", i == 1 ? "other" : "same", "Pod train/p-" + std::to_string(i));
    one.why = causes_text(one.member.causes);
  }
  const std::vector<MissingGroup> groups = group_by_chain(missing);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].who() == "worker 0, 2");
  CHECK(groups[1].count() == 1);
}

TEST_CASE("a remedy is of the code, else of the layer") {
  CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::node, "Cordoned", "", ""))), Contains("uncordon"));
  CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::node, "XID", "", ""))), Contains("replace"));
  for (const char* const of_the_pod : {"Evicted", "OutOfnvidia.com/gpu", "TopologyAffinityError"})
    CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::node, of_the_pod, "", ""))), !Contains("replace"));
  CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::volume, "FailedCreatePodSandBox", "", ""))), !Contains("volume"));
  for (const char* const of_slurm : {"DOWN", "IDLE+DRAIN", "MIXED+NOT_RESPONDING", "Prolog"})
    CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::node, of_slurm, "", ""))), Contains("scontrol update nodename="));
  CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::gate, "JobHeldUser", "", ""))), Contains("scontrol release"));
  for (const char* const refused : {"InvalidAccount", "AccountNotAllowed", "InvalidQOS", "QOSNotAllowed"})
    CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::queue, refused, "", ""))), Contains("scontrol update jobid="));
  CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::gate, "JobSet", "", ""))), Contains("the gate is named after"));
  CHECK(remedy_of(Cause(CauseLayer::service, "x", "", "")).empty());
  // What has not begun to run has no log, and what was not restarted has no previous one.
  CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::container, "CreateContainerConfigError", "", ""))), Contains("ConfigMap"));
  for (const char* const early : {"ContainerCreating", "CreateContainerError", "RunContainerError"})
    CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::container, early, "", ""))), Contains("kubectl describe"));
  CHECK_THAT(std::string(remedy_of(Cause(CauseLayer::container, "Error", "", ""))), Contains("kubectl logs POD -c CONTAINER"));
}

TEST_CASE("ready members on a machine that is not well are warned of") {
  ClusterStatus status;
  status.members = {Member("worker", 0), Member("worker", 1), Member("worker", 2)};
  status.members[1].causes.emplace_back(CauseLayer::node, "Cordoned", "", "Node g1");
  status.members[2].causes.emplace_back(CauseLayer::image, "ErrImagePull", "", "");
  status.members[2].state = Condition(MemberState::waiting, "Pending");
  const std::vector<MissingMember> warned = warned_members(status);
  REQUIRE(warned.size() == 1);
  CHECK(warned[0].member.index == 1);
  CHECK(warned[0].why == "Cordoned (Node g1)");
}
