// The step that this process belongs to: its tasks are in the environment, the states of its nodes in the job's record.
#include "resolvers/slurm/small_restd.hpp"
#include "rollcall/listed.hpp"
#include "rollcall/watch.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

using OwnStepVariables = std::map<std::string, std::string, std::less<>>;

// The second task of a step on n2 and n3 of a job with four nodes.
OwnStepVariables step_on_two() {
  return {{"SLURM_JOB_ID", "7"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_JOB_NODELIST", "n[1-4]"},
          {"SLURM_JOB_NUM_NODES", "4"},
          {"SLURM_STEP_NUM_TASKS", "4"},
          {"SLURM_STEP_NUM_NODES", "2"},
          {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
          {"SLURM_STEP_NODELIST", "n[2-3]"},
          {"SLURMD_NODENAME", "n2"},
          {"SLURM_PROCID", "1"},
          {"SLURM_LOCALID", "1"},
          {"SLURM_NODEID", "0"},
          {"SLURM_DISTRIBUTION", "block"}};
}

const OwnStepVariables script = {{"SLURM_JOB_ID", "7"},        {"SLURM_PROCID", "0"},           {"SLURM_LOCALID", "0"},
                                 {"SLURM_NODEID", "0"},        {"SLURMD_NODENAME", "n1"},       {"SLURM_NTASKS", "2"},
                                 {"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_JOB_NODELIST", "n[1-2]"}};

const std::string on_four = R"("job_state":["RUNNING"],"nodes":"n[1-4]","node_count":4)";

SmallRestd four_nodes() {
  SmallRestd restd;
  restd.job = one_job(on_four);
  restd.nodes.clear();
  for (const char* const name : {"n1", "n2", "n3", "n4"}) restd.nodes.push_back(node_text(name, R"("ALLOCATED")"));
  return restd;
}

constexpr const char* by_rest = "slurm:order=rank,restd=unix:/run/restd";

std::string states_of(const ClusterStatus& status) {
  std::string text = status.state.text;
  for (const Member& member : status.members)
    text += "|" + member.address + " " + std::string(to_string(member.state.level)) + " " + member.state.text;
  return text;
}

}  // namespace

TEST_CASE("a step's own nodes have states, in the order of its ranks") {
  SmallRestd restd = four_nodes();
  restd.nodes[0] = node_text("n1", R"("DOWN")", "not this step's");
  restd.nodes[2] = node_text("n3", R"("DOWN","NOT_RESPONDING")", "Not responding");
  SlurmLoop t(step_on_two());
  t.serve(restd);
  const auto step = t.job(by_rest);
  const ClusterStatus status = value_of(t.run(step->try_cluster_status()));
  CHECK_THAT(states_of(status), Contains("RUNNING|n2:8888 ready RUNNING|n2:8889 ready RUNNING|n3:8888 lost ") &&
                                    Contains("not responding") && !Contains("n1") && !Contains("n4"));
  REQUIRE(status.members[3].causes.size() == 1);
  CHECK(status.members[3].causes.front().object == "node n3");
  t.transport->requests.clear();
  CHECK(value_of(t.run(step->try_cluster_spec())).to_json() == R"({"worker":["n2:8888","n2:8889","n3:8888","n3:8889"]})");
  CHECK(t.run(step->try_num_accelerators()));
  CHECK(t.transport->requests.empty());
}

TEST_CASE("the launch of a task asks Slurm nothing, a batch script waits for its nodes") {
  SmallRestd restd = four_nodes();
  restd.nodes[1] = node_text("n2", R"("ALLOCATED","POWERING_UP")");
  SlurmLoop task(step_on_two());
  task.serve(restd);
  const ClusterStatus launched = value_of(task.run(try_wait_until_ready(task.job(by_rest))));
  CHECK(task.transport->requests.empty());
  CHECK(is_only_listed(launched.members.front()));

  restd.job = one_job(running_fields);
  SlurmLoop batch(script);
  const auto start = batch.time->now();
  batch.transport->respond = [&](const HttpRequest& request) {
    if (batch.time->now() - start > 30s) restd.nodes[1] = node_text("n2", R"("ALLOCATED")");
    return restd(request);
  };
  const ClusterStatus waited = value_of(batch.run(try_wait_until_ready(batch.job(by_rest), usually_ready, WaitOptions().timeout(5min))));
  CHECK(states_of(waited) == "RUNNING|n1:8888 ready RUNNING|n2:8888 ready RUNNING");
  CHECK(batch.time->now() - start > 30s);
  CHECK(waited.members[1].accelerators->count == 4);  // which the variables of n1 do not say
}

TEST_CASE("where Slurm cannot be asked the nodes are as listed, and once it is said why") {
  for (const char* const target : {"slurm:order=rank", "auto:"}) {
    SlurmLoop t(step_on_two());
    const auto step = t.job(target);
    for (int i = 0; i < 2; ++i) {
      t.programs->answers.emplace_back(Failure(Errc::not_found, "no such program"));
      const ClusterStatus status = value_of(t.run(step->try_cluster_status()));
      CHECK(status.members.size() == 4);
      CHECK(is_only_listed(status.members.front()));
    }
    CAPTURE(target, t.log->lines);
    CHECK(std::count(t.log->lines.begin(), t.log->lines.end(), "left_out failed_precondition") == 1);
  }
}

TEST_CASE("states that were known are not forgotten when Slurm cannot be asked") {
  SmallRestd restd = four_nodes();
  restd.nodes[2] = node_text("n3", R"("DOWN")", "power");
  SlurmLoop t(step_on_two());
  t.serve(restd);
  const auto step = t.job(by_rest);
  CHECK(t.run(step->try_cluster_status()));
  restd.job_status = 502;
  restd.job = R"({"errors":[{"description":"x","error_number":1800,"error":"Unable to contact slurm controller"}]})";
  check_failure(t.run(step->try_cluster_status()), Errc::unavailable, "Unable to contact slurm controller");
  // A wait after that does not go by the list either.
  const auto late = t.run(try_wait_until_ready(step, usually_ready, WaitOptions().timeout(20s).for_replacement(true)));
  check_failure(late, Errc::deadline_exceeded, "Unable to contact slurm controller");
}

TEST_CASE("a node that dies under a step is named while it is followed") {
  SmallRestd restd = four_nodes();
  SlurmLoop t(step_on_two());
  const auto start = t.time->now();
  t.transport->respond = [&](const HttpRequest& request) {
    if (t.time->now() - start > 60s) restd.nodes[2] = node_text("n3", R"("DOWN")", "power");
    return restd(request);
  };
  const auto following = watch(t.job(by_rest), WatchOptions().machine_notices(false));
  std::string seen;
  while (seen.find("power") == std::string::npos) seen = value_of(t.run(following->try_next())).text;
  CHECK(t.time->now() - start < 75s);
  CHECK(following->status().members[2].state.level == MemberState::lost);
}

TEST_CASE("tasks of a big step ask seldom") {
  OwnStepVariables variables = step_on_two();
  variables["SLURM_STEP_TASKS_PER_NODE"] = "2000(x2)";
  variables["SLURM_STEP_NUM_TASKS"] = "4000";
  SmallRestd restd = four_nodes();
  SlurmLoop t(variables);
  const auto start = t.time->now();
  t.transport->respond = [&](const HttpRequest& request) {
    if (t.time->now() - start > 30min) restd.nodes[2] = node_text("n3", R"("DOWN")", "power");
    return restd(request);
  };
  const auto following = watch(t.job(by_rest), WatchOptions().machine_notices(false));
  while (value_of(t.run(following->try_next())).text.find("power") == std::string::npos) {
  }
  const auto asked = std::count_if(t.transport->requests.begin(), t.transport->requests.end(),
                                   [](const HttpRequest& request) { return request.url.target.find("/job/7") != std::string::npos; });
  CHECK(asked > 10);
  CHECK(asked < 40);
}

TEST_CASE("a step of a job that waits again, has other nodes or lost one is not ready") {
  SmallRestd restd = four_nodes();
  SlurmLoop t(step_on_two());
  t.serve(restd);
  restd.job = one_job(R"("job_state":["PENDING"],"state_reason":"BeginTime","nodes":"","node_count":4,"restart_cnt":1)");
  CHECK_THAT(states_of(value_of(t.run(t.job(by_rest)->try_cluster_status()))),
             Contains("Slurm job 7 does not run here any more: PENDING (BeginTime)") && Contains("n3:8889 lost"));
  restd.job = one_job(R"("job_state":["RUNNING"],"nodes":"m[1-4]","node_count":4)");
  check_failure(t.run(t.job(by_rest)->try_cluster_status()), Errc::conflict, "Slurm job 7 has m1 and no node n2");
  restd.job = one_job(R"("job_state":["RUNNING"],"nodes":"n[1-2,4]","node_count":3)");
  CHECK_THAT(states_of(value_of(t.run(t.job(by_rest)->try_cluster_status()))),
             Contains("n2:8889 ready RUNNING|n3:8888 lost Slurm job 7 has no node n3 any more"));
  restd.job = one_job(R"("job_state":["CANCELLED","COMPLETING"],"nodes":"n[1-4]","node_count":4)");
  CHECK_THAT(states_of(value_of(t.run(t.job(by_rest)->try_cluster_status()))), Contains("n2:8888 lost CANCELLED"));
}

TEST_CASE("the variables of another job are refused before Slurm is asked") {
  OwnStepVariables variables = step_on_two();
  variables["SLURMD_NODENAME"] = "n9";
  SmallRestd restd = four_nodes();
  SlurmLoop t(variables);
  t.serve(restd);
  check_failure(t.run(t.job(by_rest)->try_cluster_status()), Errc::conflict, "SLURMD_NODENAME");
  CHECK(t.transport->requests.empty());
}

TEST_CASE("maintenance of nodes that the step does not use is none of its own") {
  SmallRestd restd = four_nodes();
  SlurmLoop t(step_on_two());
  std::string nodes = "n4";
  t.transport->respond = [&](const HttpRequest& request) {
    if (request.url.target.find("/reservations") == std::string::npos) return restd(request);
    const auto start = std::chrono::duration_cast<std::chrono::seconds>((t.time->wall_now() + 1h).time_since_epoch()).count();
    return SlurmAnswer(slurm_reply(200, R"({"reservations":[{"name":"service","node_list":")" + nodes +
                                            R"(","flags":["MAINT"],"start_time":)" + std::to_string(start) + "}]}"));
  };
  for (const auto& [on, notices] : {std::pair("n4", std::size_t{0}), std::pair("n[3-4]", std::size_t{1})}) {
    nodes = on;
    const auto step = t.job(by_rest);
    CHECK(t.run(step->try_cluster_status()));
    CHECK(value_of(t.run(step->try_cluster_status())).notices.size() == notices);
  }
}

TEST_CASE("where Slurm cannot be asked the end of the job is in a variable") {
  const TestRuntime clock;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock.time->wall_now().time_since_epoch()).count();
  const auto notices_with = [&](const std::string& value) {
    OwnStepVariables variables = step_on_two();
    variables["SLURM_JOB_END_TIME"] = value;
    SlurmLoop t(variables);
    std::string text;
    for (const Notice& notice : value_of(t.run(t.job("slurm:order=rank")->try_cluster_status())).notices)
      text += notice.subject + ": " + notice.text;
    return text;
  };
  CHECK_THAT(notices_with(std::to_string(now + 300)), Contains("Slurm job 7: it reaches its time limit at "));
  for (const std::string& value :
       {std::to_string(now + 3600), std::to_string(now - 1), std::string("soon"), std::string("-5"), std::string("99999999999999999999")})
    CHECK(notices_with(value).empty());
}
