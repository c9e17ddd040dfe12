// The section `slurm` of a simulation file.
#include "sim/support.hpp"

namespace rollcall::sim {
namespace {

std::string slurm_problem(const std::string& slurm) {
  const auto cloud = Cloud::parse("{\"slurm\": " + slurm + "}", "cloud.json");
  return cloud ? std::string("none") : std::string(cloud.error().what());
}

std::string problem_of_job(const std::string& job) { return slurm_problem(R"({"nodes": [{"name": "n[1-2]"}], "jobs": [)" + job + "]}"); }

}  // namespace

TEST_CASE("slurm: mistakes in the file are reported with their position") {
  CHECK(slurm_problem("[]") == "cloud.json:1:11: slurm: expected an object, found an array");
  CHECK(slurm_problem(R"({"version": "24.10"})") == "cloud.json:1:23: slurm.version: unknown version '24.10', did you mean '24.11'?");
  CHECK(
      problem_of_job(R"({"id": 7, "state": "RUNING"})").ends_with("slurm.jobs[0].state: unknown state 'RUNING', did you mean 'RUNNING'?"));
  CHECK(problem_of_job(R"({"name": "train"})").ends_with("slurm.jobs[0]: a job needs an id"));
  CHECK(problem_of_job(R"({"id": 7}, {"id": 7})").ends_with("slurm.jobs[1]: there are two jobs 7"));
  CHECK(problem_of_job(R"({"id": 7, "state": "RUNNING"})").ends_with("nodes: a job that is RUNNING needs some"));
  CHECK(problem_of_job(R"({"id": 7, "nodes": "n[1-3]"})").ends_with("nodes: there is no node 'n3'"));
  CHECK(problem_of_job(R"({"id": 7, "nodes": "n[1-"})").find("slurm.jobs[0]: ") != std::string::npos);
  CHECK(problem_of_job(R"({"id": 7, "nodes": "n1", "running_after": 5, "timeline": [{"at": 1}]})")
            .ends_with("running_after: give it, or a timeline or another state"));
  CHECK(problem_of_job(R"({"id": 7, "nodes": "n1", "running_after": 5, "state": "RUNNING"})").find("running_after") != std::string::npos);
  CHECK(problem_of_job(R"({"id": 7, "array_task": 1})").ends_with("array_task and array_tasks need an array_job"));
  CHECK(problem_of_job(R"({"id": 7, "het_offset": 1})").ends_with("het_offset needs a het_job"));
  CHECK(problem_of_job(R"({"id": 7, "timeline": [{"at": 5}, {"at": 5}]})").ends_with("each entry must be later than the one before"));
  CHECK(slurm_problem(R"({"nodes": [{}]})").ends_with("a node needs a name, or several such as n[1-4]"));
  CHECK(slurm_problem(R"({"nodes": [{"name": "n1"}, {"name": "n[0-1]"}]})").ends_with("there are two nodes 'n1'"));
  CHECK(slurm_problem(R"({"nodes": [{"name": "n[1-2]", "address": "10.0.0.1"}]})").ends_with("address: several nodes need an entry each"));
  CHECK(slurm_problem(R"({"nodes": [{"name": "n[1-999999]"}]})").find("slurm.nodes[0]: ") != std::string::npos);
  CHECK(slurm_problem(R"({"partitions": [{"name": "a"}, {"name": "a"}]})").ends_with("there are two partitions 'a'"));
  CHECK(slurm_problem(R"({"partitions": [{}]})").ends_with("a partition needs a name"));
  CHECK(slurm_problem(R"({"reservations": [{"name": "r", "nodes": "n9"}]})").ends_with("nodes: there is no node 'n9'"));
  CHECK(slurm_problem(R"({"reservations": [{"name": "r", "start": 5, "end": 5}]})").ends_with("end: it must be later than start"));
  CHECK(slurm_problem("{}") == "none");
}

TEST_CASE("slurm: a small file makes no huge model") {
  std::string timeline = R"({"at": 0, "reason": "x"})";
  for (int i = 1; i < 400; ++i) timeline += R"(, {"at": )" + std::to_string(i) + R"(, "reason": "x"})";
  CHECK(slurm_problem(R"({"nodes": [{"name": "n[1-50000]", "timeline": [)" + timeline + "]}]}").find("this would be too large") !=
        std::string::npos);
}

}  // namespace rollcall::sim
