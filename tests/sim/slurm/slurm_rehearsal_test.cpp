// The resolver of slurm:job against the simulated Slurm, in virtual time.
#include "rollcall/target_scheme.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "sim/slurm/slurm_sim_support.hpp"
#include "support/cloud_loop.hpp"

namespace rollcall::sim {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;
using testing::check_failure;
using testing::CloudLoop;
using testing::value_of;

std::string token_of_file(const std::string& text) {
  return value_of(Cloud::parse(text))->slurm_token(WallTime(std::chrono::hours(24 * 365 * 30)));
}

class Rehearsal : public CloudLoop {
 public:
  explicit Rehearsal(const std::string& text) : CloudLoop(text, {{"SLURM_JWT", token_of_file(text)}}) {}
  std::shared_ptr<ClusterResolver> job(const std::string& name = "7", const std::string& keys = "") {
    return value_of(make_resolver(runtime, "slurm:job/" + name + ",restd=http://127.0.0.1:6820" + keys));
  }
  ClusterStatus status(const std::string& name = "7") { return value_of(run(job(name)->try_cluster_status())); }
};

const std::string drained_nodes = R"("nodes": [{"name": "n[1-2]", "gres": "gpu:h100:8"}, {"name": "n3", "gres": "gpu:h100:8",
  "state": "DRAIN", "reason": "gpu 3 fell off the bus: Xid 79", "reason_by": "bob", "timeline": [{"at": 60, "state": "IDLE"}]}])";

const std::string waits_for_a_node = R"({"id": 7, "node_count": 3, "tres_per_node": "gres/gpu:h100:8", "timeline": [
  {"at": 0, "reason": "Resources", "description": "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"},
  {"at": 60, "state": "CONFIGURING", "nodes": "n[1-3]"}, {"at": 80, "state": "RUNNING"}]})";

}  // namespace

TEST_CASE("slurm rehearsal: a job waits for a drained node, which is named, and then runs") {
  for (const std::string release : slurm_releases_of_tests) {
    CAPTURE(release);
    Rehearsal t(slurm_text(waits_for_a_node, drained_nodes, release));
    const ClusterStatus first = t.status();
    CHECK(first.phase == ClusterPhase::queued);
    CHECK(first.state.level == MemberState::unschedulable);
    CHECK_THAT(first.state.text, Contains("n3 is drained by bob: gpu 3 fell off the bus: Xid 79"));
    const auto refused = t.run(try_wait_until_ready(t.job(), usually_ready, WaitOptions().timeout(50s).fail_if_unschedulable(true)));
    check_failure(refused, Errc::not_ready, "n3 is drained");
    CHECK(t.elapsed() < 2);
    CHECK(t.run(try_wait_until_ready(t.job(), usually_ready, WaitOptions().timeout(10min))));
    CHECK(t.elapsed() >= 80);
    CHECK(t.elapsed() < 91);
    const ClusterStatus running = t.status();
    REQUIRE(running.members.size() == 3);
    CHECK(running.members[2].address == "n3:8888");
    CHECK(running.members[2].accelerators->count == 8);
    CHECK(t.asked("slurm.jobs") == 0);  // never the whole list
  }
}

TEST_CASE("slurm rehearsal: a node dies, the job is requeued, and its next members are others") {
  for (const std::string release : slurm_releases_of_tests) {
    CAPTURE(release);
    Rehearsal t(slurm_text(R"({"id": 7, "nodes": "n[1-2]", "timeline": [{"at": 0, "state": "RUNNING"}, {"at": 36, "state": "PENDING"},
      {"at": 160, "state": "RUNNING", "nodes": "n[1,3]"}]})",
                           R"("nodes": [{"name": "n1"}, {"name": "n2", "timeline": [{"at": 22, "flags": ["NOT_RESPONDING"]},
      {"at": 35, "state": "DOWN", "reason": "Not responding"}]}, {"name": "n3"}])",
                           release));
    const ClusterStatus well = t.status();
    CHECK(well.state.level == MemberState::ready);
    t.advance_to(25);
    const ClusterStatus silent = t.status();
    REQUIRE(silent.members.size() == 2);
    CHECK(silent.members[1].state.level == MemberState::waiting);
    t.advance_to(35.5);
    CHECK(t.status().members[1].state.level == MemberState::lost);
    t.advance_to(40);
    const ClusterStatus requeued = t.status();
    CHECK(requeued.phase == ClusterPhase::queued);
    CHECK_THAT(requeued.state.text, Contains("after a requeue it does not start before 1999-12-25T00:02:37Z"));
    t.advance_to(161);
    const ClusterStatus again = t.status();
    REQUIRE(again.members.size() == 2);
    CHECK(again.members[1].name == "n3");
    CHECK(again.members[0].uid != well.members[0].uid);
  }
}

TEST_CASE("slurm rehearsal: a job that was requeued names the nodes that did not boot") {
  for (const std::string release : slurm_releases_of_tests) {
    CAPTURE(release);
    Rehearsal t(slurm_text(
        R"({"id": 7, "node_count": 2, "timeline": [{"at": 0, "state": "CONFIGURING", "nodes": "n[1-2]"}, {"at": 36, "state": "PENDING"}]})",
        R"("nodes": [{"name": "n[1-2]", "timeline": [{"at": 0, "flags": ["CLOUD", "POWERING_UP"]},
      {"at": 35, "state": "DOWN", "flags": ["CLOUD", "POWERED_DOWN"], "reason": "ResumeTimeout reached"}]}])",
        release));
    t.advance_to(40);
    const ClusterStatus status = t.status();
    CHECK_THAT(status.state.text, Contains("after a requeue it does not start before") && Contains("n1 is down: ResumeTimeout reached"));
    CHECK(status.state.level == MemberState::unschedulable);
  }
}

TEST_CASE("slurm rehearsal: a watch says why a job is not ready any more") {
  Rehearsal t(slurm_text(R"({"id": 7, "nodes": "n1", "timeline": [{"at": 0, "state": "RUNNING"}, {"at": 30, "state": "PENDING"}]})"));
  const auto following = watch(t.job(), WatchOptions().machine_notices(false));
  std::string text;
  while (text.find("not ready any more") == std::string::npos) {
    text = value_of(t.run(following->try_next())).text;
    REQUIRE(t.elapsed() < 100);
  }
  CHECK_THAT(text, Contains("0 of 1 members are; PENDING (BeginTime): after a requeue it does not start before"));
  following->close();
}

TEST_CASE("slurm rehearsal: a death is seen by slurmd's port before Slurm says it") {
  Rehearsal t(slurm_text(R"({"id": 7, "nodes": "n[1-2]", "state": "RUNNING"})",
                         R"("nodes": [{"name": "n1"}, {"name": "n2", "address": "10.0.0.2", "timeline": [{"at": 30, "answers": false},
      {"at": 52, "state": "NOT_RESPONDING"}, {"at": 90, "state": "IDLE", "answers": true}]}])"));
  const auto following = watch(t.job("7", ",probe_nodes=true"), WatchOptions().machine_notices(false));
  double seen = 0;
  double back = 0;
  while (back == 0) {
    (void)t.run(following->try_next());
    const std::vector<Member>& members = following->status().members;
    REQUIRE(members.size() == 2);
    CHECK(members[0].state.level == MemberState::ready);
    if (seen == 0 && members[1].state.text.find("slurmd does not answer") != std::string::npos) seen = t.elapsed();
    if (seen > 0 && members[1].state.level == MemberState::ready) back = t.elapsed();
    REQUIRE(t.elapsed() < 200);
  }
  following->close();
  CHECK(seen > 30);
  CHECK(seen < 32);
  CHECK(back > 90);
}

TEST_CASE("slurm rehearsal: a wait until nodes are reachable, by slurmd's port") {
  Rehearsal t(slurm_text(R"({"id": 7, "nodes": "n1", "state": "RUNNING"})",
                         R"("nodes": [{"name": "n1", "answers": false, "timeline": [{"at": 40, "answers": true}]}])"));
  WaitOptions options;
  options.timeout(5min);
  CHECK(t.run(try_wait_until_ready(t.job("7", ",port=6818"), usually_ready | Readiness::reachable, options)));
  CHECK(t.elapsed() >= 40);
  CHECK(t.elapsed() < 70);
}

TEST_CASE("slurm rehearsal: reasons") {
  const auto said = [](const std::string& job, const std::string& rest = four_slurm_nodes) {
    Rehearsal t(slurm_text(job, rest));
    return t.status().state.text;
  };
  CHECK_THAT(said(R"({"id": 7, "reason": "JobHeldUser"})"), Contains("scontrol release 7"));
  CHECK_THAT(said(R"({"id": 7, "reason": "Dependency", "dependency": "afterok:8"}, {"id": 8, "nodes": "n1", "state": "RUNNING"})"),
             Contains("job 8 is RUNNING"));
  CHECK_THAT(said(R"({"id": 7, "reason": "PartitionTimeLimit", "time_limit": "1h"})",
                  four_slurm_nodes + R"(, "partitions": [{"name": "main", "max_time": "5m"}])"),
             Contains("it asks for 60 minutes, partition main gives 5"));
  CHECK_THAT(said(R"({"id": 7, "reason": "PartitionDown"})", four_slurm_nodes + R"(, "partitions": [{"name": "main", "state": "DOWN"}])"),
             Contains("partition main is DOWN"));
  CHECK_THAT(said(R"({"id": 7, "reason": "Priority", "expected_start": "1h"})"), Contains("expects it to start at 1999-12-25T01:00:00Z"));
  CHECK_THAT(
      said(R"({"id": 7, "reason": "ReqNodeNotAvail", "required_nodes": "n4", "description": "ReqNodeNotAvail, Reserved for maintenance"})",
           four_slurm_nodes + R"(, "reservations": [{"name": "service", "nodes": "n4", "start": "30m", "end": "50m"}])"),
      Contains("reservation service has n4 from 1999-12-25T00:30:00Z"));
}

TEST_CASE("slurm rehearsal: arrays, heterogeneous jobs, and jobs by name") {
  Rehearsal t(slurm_text(R"({"id": 20, "array_job": 20, "array_tasks": "1-3%1", "reason": "JobArrayTaskLimit"},
    {"id": 21, "array_job": 20, "array_task": 0, "nodes": "n1", "state": "RUNNING"},
    {"id": 30, "name": "mixed", "het_job": 30, "nodes": "n1", "state": "RUNNING"},
    {"id": 31, "name": "mixed", "het_job": 30, "het_offset": 1, "nodes": "n[2-3]", "state": "RUNNING"})"));
  CHECK(t.status("20_0").members.size() == 1);
  CHECK_THAT(t.status("20_2").state.text, Contains("its array runs 1 at a time"));
  const ClusterStatus both = t.status("30");
  REQUIRE(both.members.size() == 3);
  CHECK(t.status("30+1").members.size() == 2);
  CHECK(t.status("mixed").members.size() == 3);
  check_failure(t.run(t.job("99")->try_cluster_status()), Errc::not_found, "no job 99");
}

TEST_CASE("slurm rehearsal: an absent slurmctld, a token that ends, and a proxy's page") {
  {
    Rehearsal t(slurm_text(R"({"id": 7, "nodes": "n1", "running_after": 100})",
                           four_slurm_nodes + R"(, "controller_down": [{"from": 10, "until": 60}])"));
    t.advance_to(20);
    check_failure(t.run(t.job()->try_cluster_status()), Errc::unavailable, "Unable to query JobId=7");
    CHECK(t.run(try_wait_until_ready(t.job(), usually_ready, WaitOptions().timeout(10min))));  // a wait goes on
    CHECK(t.elapsed() < 125);
  }
  {
    Rehearsal t(slurm_text(R"({"id": 7, "nodes": "n1", "state": "RUNNING"})", four_slurm_nodes + R"(, "token_lifetime": "1m")"));
    CHECK(t.run(t.job()->try_cluster_status()));
    t.advance_to(90);
    check_failure(t.run(t.job()->try_cluster_status()), Errc::unauthenticated, "ended on 1999-12-25T00:01:00Z");
  }
  const auto faulty = [](const std::string& rule) {
    Rehearsal t(slurm_text(R"({"id": 7, "nodes": "n1", "state": "RUNNING"})", four_slurm_nodes, "24.11", "\"faults\": [" + rule + "]"));
    return t.run(t.job()->try_cluster_status());
  };
  check_failure(faulty(R"({"match": {"route": "slurm.job"}, "fault": "expired_token"})"), Errc::unauthenticated, "1007");
  check_failure(faulty(R"({"match": {"route": "slurm.job"}, "status": 404})"), Errc::not_found, "no job 7");
  check_failure(faulty(R"({"match": {"route": "slurm.job"}, "status": 200, "body": "<html>Welcome</html>"})"), Errc::malformed_response,
                "Slurm");
  check_failure(faulty(R"({"match": {"route": "slurm.job"}, "fault": "truncate"})"), Errc::unreachable, "");
}

TEST_CASE("slurm rehearsal: a job that is over, and later forgotten") {
  Rehearsal t(slurm_text(
      R"({"id": 7, "nodes": "n1", "timeline": [{"at": 0, "state": "RUNNING"}, {"at": 10, "state": "FAILED", "exit_code": 3}]})"));
  const auto job = t.job();
  t.advance_to(11);
  CHECK_THAT(value_of(t.run(job->try_cluster_status())).state.text, Contains("FAILED, exit code 3"));
  t.advance_to(311);
  check_failure(t.run(job->try_cluster_status()), Errc::not_found, "Slurm has forgotten how it ended");
}

}  // namespace rollcall::sim
