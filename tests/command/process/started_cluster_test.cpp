// The cluster that a program was started in: changes that are a loss, and changes that are not.
#include "command/process/started_cluster.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;
using Catch::Contains;

namespace {

Member started_worker(int index) {
  Member member("worker", index);
  member.uid = "uid-" + std::to_string(index);
  member.address = "10.0.0." + std::to_string(index) + ":1";
  return member;
}

Member with_state(Member member, MemberState level, std::string text) {
  member.state = Condition(level, std::move(text));
  return member;
}

ClusterStatus started_members(std::vector<Member> members) {
  ClusterStatus status;
  status.members = std::move(members);
  return status;
}

std::string loss_seen(const std::optional<Loss>& loss) { return loss ? loss->why : "none"; }

ClusterChange seen_change(ChangeKind kind, Member member) {
  ClusterChange change(kind, SteadyTime());
  change.member = std::move(member);
  change.text = "seen";
  return change;
}

}  // namespace

TEST_CASE("what a program cannot go on with") {
  const StartedCluster started(started_members({started_worker(0), started_worker(1)}));
  const auto loss_with = [&](const Member& second) { return loss_seen(started.loss_in(started_members({started_worker(0), second}))); };
  Member anew = started_worker(1);
  anew.uid = "another";
  Member elsewhere = started_worker(1);
  elsewhere.address = "10.9.9.9:1";
  Member done = with_state(started_worker(1), MemberState::lost, "Succeeded");
  Member unknown = started_worker(1);
  unknown.uid = unknown.address = "";
  CHECK(loss_with(started_worker(1)) == "none");
  CHECK(loss_with(with_state(started_worker(1), MemberState::lost, "PREEMPTED")) == "worker 1 (10.0.0.1:1): PREEMPTED");
  CHECK(loss_with(with_state(started_worker(1), MemberState::stopped, "STOPPING")) == "worker 1 (10.0.0.1:1): STOPPING");
  CHECK(loss_with(with_state(started_worker(1), MemberState::waiting, "REPAIRING")) == "none");
  Member leaving = with_state(started_worker(1), MemberState::waiting, "Running (Deleted)");
  leaving.causes.emplace_back(CauseLayer::leaving, "Deleted", "it is being deleted", "pod");
  CHECK(loss_with(leaving) == "worker 1 (10.0.0.1:1): Running (Deleted)");
  leaving.state = Condition();  // chosen to be preempted, and not deleted yet
  CHECK(loss_with(leaving) == "none");
  CHECK(loss_with(anew) == "worker 1 (10.0.0.1:1): recreated");
  CHECK(loss_with(elsewhere) == "worker 1 (10.9.9.9:1): was at 10.0.0.1:1");
  CHECK(loss_with(done) == "none");
  CHECK(loss_with(unknown) == "none");
  CHECK(loss_seen(started.loss_in(started_members({started_worker(0)}))) == "worker 1 (10.0.0.1:1) left");
  CHECK(loss_seen(started.loss_in(started_members({started_worker(0), started_worker(1), started_worker(2)}))) == "none");
  CHECK(loss_seen(StartedCluster().loss_in(started_members({}))) == "none");
}

TEST_CASE("when the program has failed, a member that is not ready any more explains it") {
  Member slow = with_state(started_worker(2), MemberState::waiting, "CREATING");
  const StartedCluster started(started_members({started_worker(0), started_worker(1), slow}));
  const auto status_with = [&](MemberState level) {
    return started_members({started_worker(0), with_state(started_worker(1), level, "REPAIRING"), slow});
  };
  CHECK(loss_seen(started.loss_behind_failure(status_with(MemberState::waiting))) == "worker 1 (10.0.0.1:1): REPAIRING");
  CHECK(loss_seen(started.loss_behind_failure(status_with(MemberState::lost))) == "worker 1 (10.0.0.1:1): REPAIRING");
  CHECK(loss_seen(started.loss_behind_failure(status_with(MemberState::ready))) == "none");
}

TEST_CASE("changes that take a member away, and those that bring one") {
  const StartedCluster started(started_members({started_worker(0), started_worker(1)}));
  const auto loss = [&](ChangeKind kind, const Member& member) { return loss_seen(started.loss_by(seen_change(kind, member))); };
  const Member lost = with_state(started_worker(1), MemberState::lost, "PREEMPTED");
  Member done = with_state(started_worker(1), MemberState::lost, "Succeeded");
  CHECK(loss(ChangeKind::member_changed, lost) == "seen");
  CHECK(loss(ChangeKind::member_joined, lost) == "worker 1 (10.0.0.1:1): PREEMPTED");
  CHECK(loss(ChangeKind::member_left, started_worker(1)) == "seen");
  CHECK(loss(ChangeKind::member_left, done) == "none");
  CHECK(loss(ChangeKind::member_changed, done) == "none");
  CHECK(loss(ChangeKind::member_left, started_worker(2)) == "none");  // it was not started with that one
  CHECK(loss(ChangeKind::trouble, Member()) == "none");
  CHECK(loss(ChangeKind::cluster_broken, Member()) == "none");

  const auto grows = [&](ChangeKind kind, const Member& member) { return started.is_grown_by(seen_change(kind, member)); };
  Member homeless = started_worker(2);
  homeless.address.clear();
  CHECK(grows(ChangeKind::member_joined, started_worker(2)));
  CHECK(grows(ChangeKind::member_changed, started_worker(2)));
  CHECK_FALSE(grows(ChangeKind::member_joined, started_worker(1)));
  CHECK_FALSE(grows(ChangeKind::member_joined, homeless));
  CHECK_FALSE(grows(ChangeKind::member_joined, with_state(started_worker(2), MemberState::waiting, "CREATING")));
  CHECK_FALSE(grows(ChangeKind::member_left, started_worker(2)));
}

TEST_CASE("the remaining members are renumbered, and the task with them") {
  ClusterSpec spec;
  REQUIRE(spec.set_job("worker", ClusterSpec::Tasks{{0, "a:1"}, {2, "c:1"}, {5, "f:1"}}));
  spec.set_job("ps", {"p:1"});
  std::optional<LaunchedTask> task(LaunchedTask("worker", 2));
  CHECK(renumber(spec, task)->to_json() == R"({"worker":["a:1","c:1","f:1"],"ps":["p:1"]})");
  CHECK(task == LaunchedTask("worker", 1));
  std::optional<LaunchedTask> evaluator(LaunchedTask("evaluator", 0));
  CHECK(renumber(spec, evaluator));
  CHECK(evaluator == LaunchedTask("evaluator", 0));
  std::optional<LaunchedTask> nobody;
  CHECK(renumber(spec, nobody));
  std::optional<LaunchedTask> missing(LaunchedTask("worker", 1));
  testing::check_failure(renumber(spec, missing), Errc::not_ready, "worker 1, which this is, is not among the members that are ready");
}
