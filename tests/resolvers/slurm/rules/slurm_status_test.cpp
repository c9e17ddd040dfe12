// The status of jobs: members, their order, states, accelerators, parts, and how jobs end.
#include "resolvers/slurm/slurm_samples.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

SlurmView running_view(const std::string& version) {
  SlurmView view = slurm_view_of(version, "trainer");
  view.jobs = {slurm_job_named(slurm_jobs_of(version, "job.running"), "trainer")};
  return view;
}

ClusterStatus status_of(const SlurmView& view, const SlurmStatusOptions& options = {}) { return value_of(slurm_status(view, options)); }

}  // namespace

TEST_CASE("a running job's nodes are members, with their GPUs") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    const ClusterStatus status = status_of(running_view(version));
    CHECK(status.state.level == MemberState::ready);
    CHECK(status.phase == ClusterPhase::running);
    CHECK(status.expected == 2);
    CHECK(status.job_sizes == std::vector<JobSize>{JobSize("worker", 2)});
    CHECK(status.causes.empty());
    REQUIRE(status.members.size() == 2);
    const Member& member = status.members[1];
    CHECK(member.name == "n2");
    CHECK(member.host == "n2");
    CHECK(member.index == 1);
    CHECK(member.address == "n2:8888");
    CHECK(member.state.level == MemberState::ready);
    REQUIRE(member.accelerators);
    CHECK(member.accelerators->kind == "GPU");
    CHECK(member.accelerators->model == "H100");
    CHECK(member.accelerators->count == 8);
    CHECK_FALSE(member.part);
  }
}

TEST_CASE("NodeAddr is the address where that is asked for") {
  SlurmStatusOptions options;
  options.uses_node_addr = true;
  options.port = 1234;
  SlurmView view = running_view("24.11");
  CHECK(status_of(view, options).members[0].address == "127.0.1.1:1234");
  view.nodes.clear();
  CHECK(status_of(view, options).members[0].address.empty());
}

TEST_CASE("a node of a running job that is down is lost, one that is silent is waited for") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    SlurmView view = running_view(version);
    const auto n2 = std::find_if(view.nodes.begin(), view.nodes.end(), [](const SlurmNodeRecord& node) { return node.name == "n2"; });
    n2->states = {"MIXED", "NOT_RESPONDING"};
    n2->reason = "Not responding";
    ClusterStatus status = status_of(view);
    CHECK(status.members[0].state.level == MemberState::ready);
    CHECK(status.members[1].state.level == MemberState::waiting);
    CHECK_THAT(status.members[1].state.text, Catch::Contains("not responding"));
    n2->states = {"DOWN"};
    status = status_of(view);
    CHECK(status.members[1].state.level == MemberState::lost);
    CHECK_THAT(status.members[1].state.text, Catch::Contains("down"));
    REQUIRE(status.members[1].causes.size() == 1);
    CHECK_FALSE(status.members[1].causes[0].is_final);
    n2->states = {"MIXED", "DRAIN"};
    n2->reason = "gpu 3";
    status = status_of(view);
    CHECK(status.members[1].state.level == MemberState::ready);
    CHECK_THAT(status.members[1].state.text, Catch::Contains("draining") && Catch::Contains("gpu 3"));
    CHECK(status.members[1].causes.size() == 1);
  }
}

TEST_CASE("the reason of a node that is well again is not shown") {
  SlurmView view = running_view("24.11");
  for (SlurmNodeRecord& node : view.nodes) node.reason = "Not responding";
  CHECK(status_of(view).members[0].state.text == "RUNNING");
  CHECK(status_of(view).members[0].causes.empty());
}

TEST_CASE("the words for a node, and whose they are") {
  SlurmNodeRecord node;
  node.name = "n1";
  node.reason_by = "root";
  const auto story = [&node](std::vector<std::string> states, const std::string& reason) {
    node.states = std::move(states);
    node.reason = reason;
    return slurm_node_story(node);
  };
  CHECK(story({"IDLE"}, "Not responding").empty());
  CHECK(story({"DOWN", "NOT_RESPONDING"}, "Not responding") == "down, not responding");
  CHECK(story({"DOWN"}, "ResumeTimeout reached") == "down: ResumeTimeout reached");
  CHECK(story({"IDLE", "DRAIN"}, "Prolog error") == "drained: Prolog error");
  CHECK(story({"ALLOCATED", "DRAIN"}, "ECC errors") == "draining by root: ECC errors");
  CHECK(story({"MIXED", "FAIL"}, "about to fail") == "about to fail");
  CHECK(story({"IDLE", "CLOUD", "NOT_RESPONDING", "POWERING_UP"}, "") == "booting");
  CHECK_FALSE(is_unable(node));
  CHECK(story({"IDLE", "CLOUD", "POWERED_DOWN"}, "").empty());
  CHECK_FALSE(is_unable(node));
  CHECK(story({"IDLE", "DRAIN"}, "a\x1b[31m") == "drained by root: a\\x1b[31m");
}

TEST_CASE("a job that boots its nodes is not ready") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    const ClusterStatus status = status_of(slurm_view_of(version, "cloud"));
    CHECK(status.phase == ClusterPhase::provisioning);
    CHECK(status.state.level == MemberState::waiting);
    REQUIRE(status.members.size() == 2);
    CHECK(status.members[0].state.level == MemberState::waiting);
  }
  SlurmView view = running_view("24.11");
  view.jobs.front().reason = "Prolog";
  CHECK(status_of(view).state.level == MemberState::waiting);
}

TEST_CASE("a pending job has no members yet, but its number and its reason") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    const ClusterStatus status = status_of(slurm_view_of(version, "gpus4x8"));
    CHECK(status.members.empty());
    CHECK(status.expected == 3);
    CHECK(status.phase == ClusterPhase::queued);
    CHECK(status.state.level == MemberState::unschedulable);
    CHECK(status.causes.size() == 2);
  }
}

TEST_CASE("a heterogeneous job has a part for each component") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    SlurmView view = slurm_view_of(version, "trainer");
    view.jobs = slurm_jobs_of(version, "job.het");
    const ClusterStatus status = status_of(view);
    REQUIRE(status.members.size() == 2);
    CHECK(status.members[0].name == "n6");
    CHECK(status.members[1].name == "n4");
    CHECK(status.members[1].index == 1);
    REQUIRE(status.members[1].part);
    CHECK(status.members[1].part->kind == "component");
    CHECK(status.members[1].part->index == 1);
    CHECK(status.members[1].part->count == 2);
    CHECK(status.members[1].part->member == 0);
    CHECK(status.members[0].accelerators->count == 1);
  }
}

TEST_CASE("ends of jobs are final, with their exit code") {
  for (const char* const version : {"22.05", "24.11"}) {
    INFO(version);
    const std::vector<SlurmJobRecord> jobs = slurm_jobs_of(version, "jobs.pending");
    SlurmView view;
    view.jobs = {slurm_job_named(jobs, "failing")};
    ClusterStatus status = status_of(view);
    CHECK(status.state == Condition(MemberState::lost, "FAILED, exit code 3"));
    REQUIRE(status.causes.size() == 1);
    CHECK(status.causes[0].is_final);
    CHECK(status.causes[0].code == "FAILED");
    REQUIRE(status.members.size() == 1);
    CHECK(status.members[0].address.empty());
    view.jobs = {slurm_job_named(jobs, "signalled")};
    CHECK_THAT(status_of(view).state.text, Catch::StartsWith("FAILED, signal 11"));
  }
}

TEST_CASE("a requeued job waits, and says how often") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    const std::vector<SlurmJobRecord> jobs = slurm_jobs_of(version, "jobs.life");
    const auto requeued =
        std::find_if(jobs.begin(), jobs.end(), [](const SlurmJobRecord& job) { return job.is_pending() && job.restarts > 0; });
    if (requeued == jobs.end()) continue;
    SlurmView view;
    view.jobs = {*requeued};
    view.now = WallTime(std::chrono::seconds(1'795'699'700));
    const ClusterStatus status = status_of(view);
    CHECK(status.state.level != MemberState::lost);
    CHECK_THAT(status.state.text, Catch::Contains("requeued"));
  }
}

TEST_CASE("the end of a job is announced once it is near") {
  SlurmView view = running_view("24.11");
  view.jobs.front().time_limit = 60;
  view.jobs.front().end = view.now + std::chrono::minutes(30);
  CHECK(status_of(view).notices.empty());
  view.jobs.front().end = view.now + std::chrono::minutes(9);
  const ClusterStatus status = status_of(view);
  REQUIRE(status.notices.size() == 1);
  CHECK_THAT(status.notices[0].text, Catch::StartsWith("it reaches its time limit at 20"));
  view.now += std::chrono::seconds(10);
  CHECK(status_of(view) == status);  // no time that passes is in a status
}

TEST_CASE("a node list of a job that cannot be read is an error") {
  SlurmView view = running_view("24.11");
  view.jobs.front().nodes = "n[1-";
  check_failure(slurm_status(view, {}), Errc::invalid_argument, "the nodes of Slurm job 11");
  view.jobs.front().nodes = "n[1-100000]";
  check_failure(slurm_status(view, {}), Errc::limit_exceeded, "the nodes of Slurm job 11");
  check_failure(slurm_needs(view.jobs), Errc::limit_exceeded, "the nodes of Slurm job 11");
}

TEST_CASE("only what a state needs is asked") {
  const auto needs_of = [](const std::string& job) { return value_of(slurm_needs(slurm_view_of("24.11", job).jobs)); };
  CHECK(needs_of("trainer").nodes == std::vector<std::string>{"n1", "n2"});
  CHECK_FALSE(needs_of("trainer").all_nodes);
  CHECK(needs_of("resources").all_nodes);
  CHECK(needs_of("resources").partitions == std::set<std::string>{"main"});
  CHECK(needs_of("before-maint").reservations);
  CHECK(needs_of("short-time").partitions == std::set<std::string>{"short"});
  CHECK_FALSE(needs_of("short-time").all_nodes);
  CHECK(needs_of("after").jobs.size() == 1);
  CHECK_FALSE(needs_of("held").all_nodes);
  CHECK_FALSE(needs_of("failing").all_nodes);
}
