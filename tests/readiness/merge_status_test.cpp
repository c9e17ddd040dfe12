// The merge of several clusters, and the comparison of two statuses.
#include "cluster/merge_status.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"
#include "support/whole_status.hpp"

using namespace rollcall;
using Catch::Contains;
using rollcall::testing::merge_status;
using rollcall::testing::status_diff;

namespace {

ClusterStatus cluster_of(const std::string& job, std::vector<int> indices, const std::string& prefix) {
  ClusterStatus status;
  for (const int index : indices) status.members.emplace_back(job, index).address = prefix + std::to_string(index) + ":1";
  return status;
}

}  // namespace

TEST_CASE("dense parts of a job follow each other, sparse ones keep their indices") {
  const Result<ClusterStatus> dense = merge_status({cluster_of("worker", {0, 1}, "a"), cluster_of("worker", {0}, "b")}, {"a", "b"});
  REQUIRE(dense);
  CHECK(dense->spec().to_json() == R"({"worker":["a0:1","a1:1","b0:1"]})");
  const Result<ClusterStatus> sparse = merge_status({cluster_of("worker", {0, 2}, "a"), cluster_of("worker", {1}, "b")}, {"a", "b"});
  REQUIRE(sparse);
  CHECK(sparse->spec().to_json() == R"({"worker":["a0:1","b1:1","a2:1"]})");
  const Result<ClusterStatus> clash = merge_status({cluster_of("worker", {0, 2}, "a"), cluster_of("worker", {2}, "b")}, {"a", "b"});
  REQUIRE(clash.has_error());
  CHECK(clash.error().code() == Errc::conflict);
  CHECK(clash.error().what() == "a and b both have a task 2 of job 'worker'");
}

TEST_CASE("how many members jobs have adds up, and is not known where one part does not say it") {
  ClusterStatus one = cluster_of("worker", {0}, "a");
  one.expected = 4;
  one.job_sizes = {JobSize("worker", 4)};
  one.expected_source = "Job a: 4";
  one.causes = {Cause(CauseLayer::order, "InOrder", "x first", "JobSet a")};
  ClusterStatus two = cluster_of("worker", {0, 1}, "b");
  two.expected = 2;
  two.job_sizes = {JobSize("ps", 1), JobSize("worker", 2)};
  two.expected_source = "Job b: 2";
  const Result<ClusterStatus> both = merge_status({one, two}, {"a", "b"});
  REQUIRE(both);
  CHECK(both->job_sizes == std::vector<JobSize>{JobSize("worker", 6), JobSize("ps", 1)});
  CHECK(both->expected_source == "Job a: 4; Job b: 2");
  CHECK(both->causes.size() == 1);
  two.job_sizes.clear();
  CHECK(merge_status({one, two}, {"a", "b"})->job_sizes.empty());
  CHECK(merge_status({one, two}, {"a", "b"})->expected == 6);
}

TEST_CASE("jobs without members are kept, in their order, and conflict with no other") {
  ClusterStatus nobody;
  nobody.jobs = {"ps", "worker"};
  ClusterStatus evaluator;
  evaluator.jobs = {"evaluator"};
  const Result<ClusterStatus> all =
      merge_status({nobody, cluster_of("worker", {0, 1}, "a"), evaluator, cluster_of("worker", {0}, "b")}, {"a", "b", "c", "d"});
  REQUIRE(all);
  CHECK(all->spec().to_json() == R"({"ps":{},"worker":["a0:1","a1:1","b0:1"],"evaluator":{}})");
}

TEST_CASE("the type of the slices is that of all parts which have one") {
  const auto typed = [](const char* type, const char* prefix) {
    ClusterStatus status = cluster_of("worker", {0}, prefix);
    status.accelerator_type = type;
    return status;
  };
  const auto merged = [&typed](const char* a, const char* b, const char* c) {
    return merge_status({typed(a, "a"), typed(b, "b"), typed(c, "c")}, {"a", "b", "c"})->accelerator_type;
  };
  CHECK(merged("v4-8", "", "v4-8") == "v4-8");
  CHECK(merged("", "", "") == "");
  CHECK(merged("v4-8", "v4-16", "v4-8") == "");
  CHECK(merged("v4-8", "v4-16", "v4-16") == "");
}

TEST_CASE("a part whose members are numbered keeps its places when one is missing") {
  ClusterStatus gap = cluster_of("worker", {1, 2}, "a");
  gap.expected = 3;
  const Result<ClusterStatus> all = merge_status({gap, cluster_of("worker", {0, 1}, "b")}, {"a", "b"});
  REQUIRE(all);
  CHECK(all->spec().to_json() == R"({"worker":{"1":"a1:1","2":"a2:1","3":"b0:1","4":"b1:1"}})");
  CHECK(all->expected == 5);
}

TEST_CASE("a part that does not exist yet counts as one place at least, beside others that exist") {
  ClusterStatus nowhere;
  nowhere.state = Condition(MemberState::waiting, "not found");
  CHECK(merge_status({cluster_of("worker", {0}, "a"), nowhere}, {"a", "b"})->expected == 2);
  CHECK(merge_status({nowhere, nowhere}, {"a", "b"})->expected == 0);
  CHECK(merge_status({cluster_of("worker", {0}, "a"), ClusterStatus()}, {"a", "b"})->expected == 0);  // empty by intention
}

TEST_CASE("the earliest phase and the worst condition of the parts apply to all") {
  ClusterStatus queued = cluster_of("worker", {}, "");
  queued.phase = ClusterPhase::queued;
  queued.expected = 4;
  queued.state = Condition(MemberState::waiting, "WAITING_FOR_RESOURCES");
  const Result<ClusterStatus> all = merge_status({cluster_of("worker", {0}, "a"), queued}, {"tpu:a", "tpu:qr/b"});
  REQUIRE(all);
  CHECK(all->phase == ClusterPhase::queued);
  CHECK(all->expected == 5);
  CHECK(all->state.text == "tpu:qr/b: WAITING_FOR_RESOURCES");
}

TEST_CASE("the changes between two statuses") {
  ClusterStatus before = cluster_of("worker", {0, 1, 2}, "a");
  ClusterStatus now = cluster_of("worker", {1, 2, 3}, "a");
  now.members[1].uid = "new";
  now.members[1].state = Condition(MemberState::lost, "PREEMPTED");
  now.notices.emplace_back(NoticeKind::maintenance, "TPU 'x'", "soon");
  const std::vector<ClusterChange> changes = status_diff(before, now, SteadyTime());
  REQUIRE(changes.size() == 4);
  CHECK(changes[0].text == "worker 0 (a0:1) left");
  CHECK(changes[1].text == "worker 3 (a3:1) joined: ready");
  CHECK(changes[2].text == "worker 2 (a2:1): recreated, ready -> PREEMPTED");
  CHECK(changes[3].text == "TPU 'x': maintenance (soon)");
  CHECK(status_diff(now, now, SteadyTime()).empty());
}
