// The text of a cluster's status after one poll.
#include "command/show/status_text.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace rollcall::command;

namespace {

Member state_member(int index, std::string address, MemberState level, std::string words) {
  Member member("worker", index);
  member.address = std::move(address);
  member.state = Condition(level, std::move(words));
  return member;
}

ClusterStatus status_in_state() {
  ClusterStatus status;
  status.members = {state_member(0, "10.0.0.1:8470", MemberState::ready, "READY"),
                    state_member(1, "10.0.0.2:8470", MemberState::waiting, "CREATING"), state_member(2, "", MemberState::ready, "READY")};
  status.expected = 12;
  return status;
}

}  // namespace

TEST_CASE("columns are counted in characters") {
  ClusterStatus status;
  status.members = {state_member(0, "knoten-ä", MemberState::ready, "READY"), state_member(1, "knoten-10", MemberState::ready, "READY")};
  CHECK_THAT(status_text("file:x", judge_cluster(status)), Catch::EndsWith("worker 0 knoten-ä  ready\nworker 1 knoten-10 ready\n"));
}

TEST_CASE("a status names everyone, and why they are not ready") {
  const ClusterVerdict verdict = judge_cluster(status_in_state());
  CHECK_FALSE(verdict.is_ready);
  CHECK_FALSE(verdict.lost);
  CHECK(status_text("tpu:x", verdict) ==
        "tpu:x: 1/12 ready\n"
        "worker    0 10.0.0.1:8470 ready\n"
        "worker    1 10.0.0.2:8470 CREATING\n"
        "worker    2 -             no address yet\n"
        "worker 3-11 -             not there yet\n");
}

TEST_CASE("what is announced has lines below the members") {
  ClusterStatus status;
  status.members = {state_member(0, "a:1", MemberState::ready, "READY")};
  status.notices.emplace_back(NoticeKind::maintenance, "TPU 'x'", "at \x1b noon");
  CHECK(status_text("tpu:x", judge_cluster(status)) ==
        "tpu:x: 1/1 ready\nworker 0 a:1 ready\nnotice: TPU 'x': maintenance (at \\x1b noon)\n");
}

TEST_CASE("a status is judged by the readiness that was asked for, members are not") {
  ClusterStatus status = status_in_state();
  status.expected = 0;
  CHECK(judge_cluster(status, Readiness::health).is_ready);
  CHECK_FALSE(judge_cluster(status, Readiness::health, 4).is_ready);
  CHECK_FALSE(judge_cluster(status, Readiness::reachable).is_ready);  // one has no address
  status.members.pop_back();
  CHECK(judge_cluster(status, Readiness::reachable).is_ready);
  status.members.front().state = Condition(MemberState::lost, "PREEMPTED");
  CHECK(judge_cluster(status, Readiness::health).lost->code() == Errc::not_ready);
}

TEST_CASE("what a server sent disturbs no status") {
  ClusterStatus status;
  status.members = {state_member(0, "a b\n\x1b[31m", MemberState::waiting, "x\ny")};
  CHECK(status_text("tpu:\x1b[31m", judge_cluster(status)) == "tpu:\\x1b[31m: 0/1 ready\nworker 0 a_b\\x0a\\x1b[31m x\\x0ay\n");
}
