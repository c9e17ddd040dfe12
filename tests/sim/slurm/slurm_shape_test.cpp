// Answers of the simulated slurmrestd have the form of real ones.
#include <set>

#include "sim/slurm/slurm_sim_support.hpp"
#include "support/parse_result.hpp"

namespace rollcall::sim {
namespace {

using Keys = std::vector<std::string>;

Keys keys_in_order(const boost::json::object& object, const std::set<std::string>& without = {}) {
  Keys keys;
  for (const auto& entry : object) {
    if (!without.contains(std::string(entry.key()))) keys.emplace_back(entry.key());
  }
  return keys;
}

// The kind of each field: a number, a text, a number that may be unset, …
std::string kind_of_field(const boost::json::value& value) {
  if (value.is_null()) return "unset";
  if (value.is_number()) return "number";
  if (value.is_object() && value.as_object().contains("set")) return "number that may be unset";
  return std::string(to_string(value.kind()));
}

boost::json::object real_answer(const std::string& release, const std::string& name) {
  return boost::json::parse(testing::read_sample("slurm/" + release + "/" + name + ".json")).as_object();
}

void compare_records(const boost::json::object& ours, const boost::json::object& real) {
  // What only the real server knows: cores, its own step ids, and a name with blanks.
  const std::set<std::string> others = {"job_resources", "step_id", "min nodes per job"};
  CHECK(keys_in_order(ours, others) == keys_in_order(real, others));
  for (const auto& entry : ours) {
    const boost::json::value* const other = real.if_contains(entry.key());
    if (!other || others.contains(std::string(entry.key()))) continue;
    const std::string our_kind = kind_of_field(entry.value());
    const std::string real_kind = kind_of_field(*other);
    CAPTURE(std::string(entry.key()), our_kind, real_kind);
    CHECK((our_kind == real_kind || our_kind == "unset" || real_kind == "unset"));
  }
}

}  // namespace

TEST_CASE("slurmrestd: records have the fields of real ones, in their order") {
  for (const std::string release : slurm_releases_of_tests) {
    CAPTURE(release);
    const std::string version = newest_rest(release);
    const auto cloud = slurm_cloud(R"({"id": 7, "nodes": "n[1-2]", "state": "RUNNING", "tres_per_node": "gres/gpu:h100:8"}, {"id": 8})",
                                   four_slurm_nodes + R"(, "reservations": [{"name": "service", "nodes": "n4"}])", release);
    for (const std::string job : {"job/7", "job/8"}) {
      CAPTURE(job);
      compare_records(slurm_record(*cloud, job, 0, version),
                      real_answer(release, "jobs.pending").at("jobs").as_array().front().as_object());
    }
    compare_records(slurm_record(*cloud, "node/n1", 0, version), real_answer(release, "nodes").at("nodes").as_array().front().as_object());
    compare_records(slurm_record(*cloud, "reservation/service", 0, version),
                    real_answer(release, "reservations").at("reservations").as_array().front().as_object());
    if (release == "26.05") continue;  // there is no sample
    compare_records(slurm_record(*cloud, "partition/main", 0, version),
                    real_answer(release, "partitions").at("partitions").as_array().front().as_object());
  }
}

TEST_CASE("slurmrestd: a running job has the values of a real one") {
  for (const std::string release : slurm_releases_of_tests) {
    CAPTURE(release);
    const auto cloud = slurm_cloud(
        R"({"id": 11, "name": "trainer", "nodes": "n[1-2]", "state": "RUNNING", "tres_per_node": "gres/gpu:h100:8", "tasks_per_node": 2,
            "cpus_per_node": 2, "memory_per_node": 100, "required_nodes": "n[1-2]"})",
        four_slurm_nodes, release);
    const boost::json::object ours = slurm_record(*cloud, "job/11", 5, newest_rest(release));
    const boost::json::object real = real_answer(release, "job.running").at("jobs").as_array().front().as_object();
    for (const char* const key :
         {"job_id",         "name",          "nodes",         "node_count",  "job_state",      "state_reason",  "state_description",
          "gres_detail",    "tres_per_node", "tres_per_task", "tasks",       "tasks_per_node", "cpus",          "memory_per_node",
          "required_nodes", "batch_host",    "exit_code",     "restart_cnt", "array_job_id",   "array_task_id", "het_job_id",
          "time_limit",     "preempt_time",  "partition",     "requeue",     "priority"}) {
      CAPTURE(key);
      CHECK(text_of(ours.at(key)) == text_of(real.at(key)));
    }
    constexpr std::int64_t year = 31'536'000;  // a job without a limit
    CHECK(slurm_number(ours.at("end_time")) - slurm_number(ours.at("start_time")) == year);
  }
}

TEST_CASE("slurmrestd: the envelope is that of the release") {
  const auto newer = slurm_cloud(R"({"id": 7})");
  const Reply reply = ask_slurm(*newer, "jobs");
  CHECK(header(reply, "Content-Type") == "application/json");
  CHECK(header(reply, "Connection") == "(absent)");
  CHECK(reply.body.starts_with("{\n  \"jobs\": [\n    {\n      \"account\": \"\","));
  CHECK(reply.body.find(R"("type": "openapi\/slurmctld")") != std::string::npos);
  CHECK(reply.body.ends_with("}"));
  CHECK(keys_in_order(json_of(reply).as_object()) == Keys{"jobs", "last_backfill", "last_update", "meta", "errors", "warnings"});
  CHECK(keys_in_order(json_of(ask_slurm(*newer, "nodes/")).as_object()) == Keys{"nodes", "last_update", "meta", "errors", "warnings"});
  const auto older = slurm_cloud(R"({"id": 7})", four_slurm_nodes, "22.05");
  CHECK(keys_in_order(json_of(ask_slurm(*older, "jobs", 0, "v0.0.38")).as_object()) == Keys{"meta", "errors", "jobs"});
}

}  // namespace rollcall::sim
