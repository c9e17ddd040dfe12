// Jobs and nodes of the simulated Slurm in the course of time.
#include "sim/slurm/slurm_sim_support.hpp"

namespace rollcall::sim {
namespace {

std::string job_states_at(Cloud& cloud, double at, const std::string& version = "v0.0.42") {
  return text_of(slurm_record(cloud, "job/7", at, version).at("job_state"));
}

std::string node_states_at(Cloud& cloud, const std::string& name, double at) {
  return text_of(slurm_record(cloud, "node/" + name, at).at("state"));
}

std::vector<std::int64_t> ids_in(const Reply& reply) {
  std::vector<std::int64_t> ids;
  const auto answer = json_of(reply);
  for (const auto& job : answer.at("jobs").as_array()) ids.push_back(job.at("job_id").as_int64());
  return ids;
}

const std::string whole_life = R"({"id": 7, "time_limit": "8h", "node_count": 2, "tres_per_node": "gres/gpu:h100:8", "timeline": [
  {"at": 5, "reason": "Resources"}, {"at": 10, "state": "CONFIGURING", "nodes": "n[1-2]"}, {"at": 20, "state": "RUNNING"},
  {"at": 30, "state": "COMPLETING"}, {"at": 40, "state": "COMPLETED"}]})";

}  // namespace

TEST_CASE("slurm: a job's life") {
  const auto cloud = slurm_cloud(whole_life);
  CHECK(ask_slurm(*cloud, "job/7", 4).status == 404);
  CHECK(job_states_at(*cloud, 5) == R"(["PENDING"])");
  CHECK(job_states_at(*cloud, 10) == R"(["RUNNING","CONFIGURING"])");
  CHECK(job_states_at(*cloud, 20) == R"(["RUNNING"])");
  CHECK(job_states_at(*cloud, 30) == R"(["COMPLETED","COMPLETING"])");
  CHECK(job_states_at(*cloud, 40) == R"(["COMPLETED"])");
  CHECK(ask_slurm(*cloud, "job/7", 329).status == 200);
  CHECK(ask_slurm(*cloud, "job/7", 330).status == 404);  // forgotten, 5 min after its end
  const auto pending = slurm_record(*cloud, "job/7", 6);
  CHECK(pending.at("nodes") == "");
  CHECK(slurm_number(pending.at("node_count")) == 2);
  CHECK(slurm_number(pending.at("start_time")) == 0);
  CHECK(pending.at("gres_detail").as_array().empty());
  const auto running = slurm_record(*cloud, "job/7", 25);
  CHECK(running.at("nodes") == "n[1-2]");
  CHECK(slurm_number(running.at("start_time")) - slurm_number(running.at("submit_time")) == 5);
  CHECK(slurm_number(running.at("end_time")) - slurm_number(running.at("start_time")) == 8 * 3600);
  CHECK(running.at("gres_detail").as_array().size() == 2);
  CHECK(slurm_number(running.at("time_limit")) == 480);
  const auto ended = slurm_record(*cloud, "job/7", 45);
  CHECK(slurm_number(ended.at("end_time")) - slurm_number(ended.at("start_time")) == 20);
}

TEST_CASE("slurm: 22.05 writes one word, a flag in place of the base") {
  const auto cloud = slurm_cloud(whole_life, four_slurm_nodes, "22.05");
  CHECK(job_states_at(*cloud, 5, "v0.0.38") == R"("PENDING")");
  CHECK(job_states_at(*cloud, 10, "v0.0.38") == R"("CONFIGURING")");
  CHECK(job_states_at(*cloud, 30, "v0.0.38") == R"("COMPLETING")");
  CHECK(slurm_record(*cloud, "job/7", 20, "v0.0.38").at("tres_per_node") == "gres:gpu:h100:8");
  const auto node = slurm_record(*cloud, "node/n1", 20, "v0.0.38");
  CHECK(node.at("state") == "mixed");
  CHECK(node.at("state_flags").as_array().empty());
  CHECK(node.at("gres_used") == "gpu:h100:8(IDX:0-7),mps:0,shard:0");
}

TEST_CASE("slurm: a requeued job is held back for two minutes, and its next start is another") {
  const auto cloud = slurm_cloud(R"({"id": 7, "nodes": "n[1-2]", "state": "RUNNING", "timeline": [
    {"at": 0}, {"at": 10, "state": "PENDING"}, {"at": 140, "state": "RUNNING", "nodes": "n[1,3]"}, {"at": 150, "state": "NODE_FAIL"}]})");
  const auto back = slurm_record(*cloud, "job/7", 10);
  CHECK(back.at("state_reason") == "BeginTime");
  CHECK(back.at("nodes") == "");
  CHECK(back.at("restart_cnt") == 1);
  CHECK(slurm_number(back.at("eligible_time")) - slurm_number(back.at("submit_time")) == 131);
  const auto again = slurm_record(*cloud, "job/7", 145);
  CHECK(again.at("restart_cnt") == 1);
  CHECK(again.at("nodes") == "n[1,3]");
  CHECK(slurm_number(again.at("start_time")) - slurm_number(again.at("submit_time")) == 140);
  CHECK(slurm_record(*cloud, "job/7", 150).at("state_reason") == "NodeDown");
}

TEST_CASE("slurm: ends") {
  const auto ended = [](const std::string& end) {
    static std::shared_ptr<Cloud> cloud;
    cloud = slurm_cloud(R"({"id": 7, "nodes": "n1", "timeline": [{"at": 0, "state": "RUNNING"}, {"at": 5, )" + end + "}]}");
    return slurm_record(*cloud, "job/7", 5);
  };
  const auto failed = ended(R"("state": "FAILED")");
  CHECK(failed.at("state_reason") == "NonZeroExitCode");
  CHECK(failed.at("exit_code").at("return_code").at("number") == 1);
  CHECK(ended(R"("state": "FAILED", "exit_code": 7)").at("exit_code").at("return_code").at("number") == 7);
  const auto killed = ended(R"("state": "CANCELLED", "signal": 15)");
  CHECK(killed.at("exit_code").at("signal").at("id").at("number") == 15);
  CHECK(text_of(killed.at("exit_code").at("status")) == R"(["SIGNALED"])");
  CHECK(ended(R"("state": "TIMEOUT", "reason": "None")").at("state_reason") == "None");
  CHECK(ended(R"("state": "OUT_OF_MEMORY")").at("state_reason") == "OutOfMemory");
  const auto preempted = ended(R"("grace": "2m")");
  CHECK(text_of(preempted.at("job_state")) == R"(["RUNNING"])");
  CHECK(slurm_number(preempted.at("end_time")) - slurm_number(preempted.at("preempt_time")) == 120);
}

TEST_CASE("slurm: nodes show who drained them, and the jobs that they have") {
  const auto cloud = slurm_cloud(R"({"id": 7, "nodes": "n[1-2]", "running_after": 10, "tres_per_node": "gres/gpu:h100:4"},
                                    {"id": 8, "nodes": "n1", "running_after": 20, "cpus_per_node": 15, "tres_per_task": "gres/gpu:1"})",
                                 R"("nodes": [{"name": "n[1-2]", "gres": "gpu:h100:8", "timeline": [
    {"at": 30, "state": "DRAIN", "reason": "ECC errors", "reason_by": "bob"}, {"at": 40, "state": "NOT_RESPONDING"},
    {"at": 50, "state": "DOWN", "reason": "Not responding", "reason_by": "slurm", "flags": ["NOT_RESPONDING"]},
    {"at": 60, "state": "IDLE", "flags": []}]}])");
  CHECK(node_states_at(*cloud, "n1", 0) == R"(["IDLE"])");
  CHECK(node_states_at(*cloud, "n1", 10) == R"(["MIXED"])");
  CHECK(node_states_at(*cloud, "n1", 20) == R"(["ALLOCATED"])");
  const auto busy = slurm_record(*cloud, "node/n1", 20);
  CHECK(busy.at("gres_used") == "gpu:h100:5(IDX:0-4)");
  CHECK(busy.at("alloc_cpus") == 16);
  CHECK(busy.at("reason") == "");
  CHECK(node_states_at(*cloud, "n2", 30) == R"(["MIXED","DRAIN"])");
  const auto drained = slurm_record(*cloud, "node/n2", 35);
  CHECK(drained.at("reason") == "ECC errors");
  CHECK(drained.at("reason_set_by_user") == "bob");
  CHECK(slurm_number(drained.at("reason_changed_at")) == 1'767'225'630);
  CHECK(node_states_at(*cloud, "n2", 40) == R"(["MIXED","NOT_RESPONDING"])");
  CHECK(node_states_at(*cloud, "n2", 50) == R"(["DOWN","NOT_RESPONDING"])");
  CHECK(slurm_record(*cloud, "node/n2", 60).at("reason") == "");
  CHECK(json_of(ask_slurm(*cloud, "nodes")).at("nodes").as_array().size() == 2);
}

TEST_CASE("slurm: arrays and heterogeneous jobs") {
  const auto cloud = slurm_cloud(R"({"id": 20, "array_job": 20, "array_tasks": "2-5%1"},
    {"id": 21, "array_job": 20, "array_task": 0, "nodes": "n1", "state": "RUNNING"},
    {"id": 30, "het_job": 30, "nodes": "n1", "state": "RUNNING"}, {"id": 31, "het_job": 30, "het_offset": 1, "nodes": "n[2-3]", "state": "RUNNING"})");
  CHECK(ids_in(ask_slurm(*cloud, "job/20")) == std::vector<std::int64_t>{20, 21});
  CHECK(ids_in(ask_slurm(*cloud, "job/20_0")) == std::vector<std::int64_t>{20, 21});
  CHECK(json_of(ask_slurm(*cloud, "job/20_0")).at("warnings").as_array().size() == 1);
  CHECK(ids_in(ask_slurm(*cloud, "job/21")) == std::vector<std::int64_t>{21});
  CHECK(ids_in(ask_slurm(*cloud, "job/30")) == std::vector<std::int64_t>{30, 31});
  CHECK(ids_in(ask_slurm(*cloud, "job/31")) == std::vector<std::int64_t>{31});
  const auto component = slurm_record(*cloud, "job/31");
  CHECK(component.at("het_job_id_set") == "30-31");
  CHECK(slurm_number(component.at("het_job_offset")) == 1);
  const auto states = json_of(ask_slurm(*cloud, "jobs/state/?job_id=20")).at("jobs");
  CHECK(text_of(states.at(0)) == R"({"job_id":"20_2","state":["PENDING"]})");
  CHECK(text_of(states.at(4)) == R"({"job_id":"21_0","state":["RUNNING"]})");  // by its own number
  const auto components = json_of(ask_slurm(*cloud, "jobs/state/?job_id=30")).at("jobs");
  CHECK(text_of(components.at(1)) == R"({"job_id":"31+1","state":["RUNNING"]})");
  CHECK(json_of(ask_slurm(*cloud, "jobs/state")).at("jobs").as_array().size() == 7);
}

TEST_CASE("slurm: a list that has not changed since a time") {
  const auto cloud = slurm_cloud(R"({"id": 7, "nodes": "n1", "running_after": 10})");
  const auto since = [](int second) { return "?update_time=" + std::to_string(1'767'225'600 + second); };
  CHECK(ids_in(ask_slurm(*cloud, "jobs" + since(9), 15)).size() == 1);
  const Reply same = ask_slurm(*cloud, "jobs" + since(10), 15);
  CHECK(ids_in(same).empty());
  CHECK(json_of(same).at("warnings").as_array().size() == 1);
  CHECK(slurm_number(json_of(ask_slurm(*cloud, "jobs", 15)).at("last_update")) == 1'767'225'610);
  CHECK(ask_slurm(*cloud, "nodes" + since(10), 15).status == 304);
  const Reply flawed = ask_slurm(*cloud, "nodes" + since(9), 15);
  CHECK(flawed.status == 500);
  CHECK(text_of(json_of(flawed).at("errors")).find("Unable to query partitions") != std::string::npos);
  CHECK(ask_slurm(*cloud, "nodes" + since(10), 15, "v0.0.41").status == 500);
  const auto newest = slurm_cloud(R"({"id": 7, "nodes": "n1", "running_after": 10})", four_slurm_nodes, "26.05");
  CHECK(ask_slurm(*newest, "nodes" + since(10), 15, "v0.0.45").status == 304);
  CHECK(ask_slurm(*newest, "nodes" + since(9), 15, "v0.0.45").status == 200);
  const auto older = slurm_cloud(R"({"id": 7})", four_slurm_nodes, "22.05");
  CHECK(ask_slurm(*older, "jobs" + since(0), 15, "v0.0.38").status == 304);
}

TEST_CASE("slurm: partitions have their nodes and limits") {
  const std::string rest = R"("nodes": [{"name": "n[1-2]", "partitions": ["main", "short"]}, {"name": "n4"}],
    "partitions": [{"name": "short", "state": "DOWN", "max_time": "5m", "max_nodes": 1}])";
  const auto newer = slurm_cloud(R"({"id": 7})", rest);
  const auto partition = slurm_record(*newer, "partition/short");
  CHECK(partition.at("nodes").at("configured") == "n[1-2]");
  CHECK(slurm_number(partition.at("maximums").at("time")) == 5);
  CHECK(slurm_number(partition.at("maximums").at("nodes")) == 1);
  CHECK(text_of(partition.at("partition").at("state")) == R"(["DOWN"])");
  CHECK(json_of(ask_slurm(*newer, "partitions")).at("partitions").as_array().size() == 2);
  const auto older = slurm_cloud(R"({"id": 7})", rest, "22.05");
  const auto same = slurm_record(*older, "partition/main", 0, "v0.0.38");
  CHECK(same.at("nodes") == "n[1-2,4]");
  CHECK(same.at("max_time_limit") == -1);
}

TEST_CASE("slurm: absurd numbers are shown as they are, or cut") {
  std::string jobs = R"({"id": 7, "node_count": 1000000, "cpus_per_node": 1000000, "nodes": "n1", "running_after": 5})";
  for (int id = 8; id < 20; ++id)
    jobs +=
        ", {\"id\": " + std::to_string(id) +
        R"(, "nodes": "n1", "state": "RUNNING", "tres_per_task": "gres/gpu:1000000", "tasks_per_node": 1000000, "memory_per_node": 2000000000})";
  const auto cloud = slurm_cloud(jobs);
  CHECK(slurm_number(slurm_record(*cloud, "job/7").at("cpus")) == 1'000'000'000'000);
  CHECK(text_of(slurm_record(*cloud, "job/8").at("gres_detail")) == R"json(["gpu:1000000(IDX:0-999999)"])json");
  CHECK(slurm_record(*cloud, "node/n1").at("gres_used") == "gpu:h100:8(IDX:0-7)");
  CHECK(slurm_record(*cloud, "node/n1").at("alloc_memory") == 2'147'483'647);
}

TEST_CASE("slurm: raw fields go out as they are") {
  const auto cloud = slurm_cloud(R"({"id": 7, "raw": {"job_state": ["NEW_STATE"], "nodes": null}})");
  const auto job = slurm_record(*cloud, "job/7");
  CHECK(text_of(job.at("job_state")) == R"(["NEW_STATE"])");
  CHECK_FALSE(job.contains("nodes"));
}

}  // namespace rollcall::sim
