// A process that is in another Slurm job than the cluster, or in none.
#include "whoami/slurm_jobs.hpp"
#include "rollcall/own_task.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

using StepVariables = std::map<std::string, std::string, std::less<>>;

Member node_of_job(int index, const std::string& host, const std::string& uid) {
  Member member;
  member.job = "worker";
  member.index = index;
  member.host = host;
  member.address = host + ":8888";
  member.uid = uid;
  return member;
}

std::vector<Member> two_nodes(const std::string& job) { return {node_of_job(0, "n1", job + ".0"), node_of_job(1, "n3", job + ".0")}; }

StepVariables step_of(const std::string& job, const std::string& rank, const std::string& node) {
  return {
      {"SLURM_JOB_ID", job}, {"SLURM_STEP_NODELIST", "n[1-4]"}, {"SLURM_PROCID", rank}, {"SLURM_NTASKS", "2"}, {"SLURMD_NODENAME", node}};
}

Result<OwnTask> own_task(const std::vector<Member>& members, const StepVariables& variables, const OwnMachine& machine = {}) {
  ClusterSpec spec;
  std::vector<std::string> workers;
  for (const Member& member : members) workers.push_back(member.address);
  spec.set_job("worker", std::move(workers));
  return find_own_task(spec, *fixed_environment(variables), machine, KnownTask(), members);
}

}  // namespace

TEST_CASE("slurm jobs: the rank of a step of another job says nothing of this one") {
  CHECK(value_of(own_task(two_nodes("7"), step_of("7", "1", "n3"))).index == 1);
  const Result<OwnTask> other = own_task(two_nodes("7"), step_of("8", "1", "n4"));
  check_failure(other, Errc::conflict, "this process is in Slurm job 8 (SLURM_JOB_ID), not in job 7");
  CHECK(other.error().hint() == "start it in the job: srun --jobid=7 --ntasks-per-node=1");
  // Jobs may share a node.
  OwnMachine machine;
  machine.names = {"n1"};
  check_failure(own_task(two_nodes("7"), step_of("8", "0", "n1"), machine), Errc::conflict, "not in job 7");
  check_failure(own_task(two_nodes("7"), {{"SLURM_JOBID", "8"}}, machine), Errc::conflict, "not in job 7");
  CHECK(value_of(own_task(two_nodes("7"), {}, machine)).index == 0);
}

TEST_CASE("slurm jobs: a machine that is in no job is shown the way into it") {
  const Result<OwnTask> outside = own_task(two_nodes("7"), {});
  check_failure(outside, Errc::not_found, "no variable names this process's task");
  CHECK_THAT(outside.error().hint(), Contains("srun --jobid=7"));
  const std::vector<Member> others = {node_of_job(0, "n1", ""), node_of_job(1, "n3", "")};
  CHECK(own_task(others, {}).error().hint().empty());
  CHECK(value_of(own_task(others, step_of("8", "1", "n3"))).index == 1);
}

TEST_CASE("slurm jobs: the node must be one of the job's, since ids count in each cluster by itself") {
  check_failure(own_task(two_nodes("7"), step_of("7", "1", "n4")), Errc::conflict,
                "runs on n4 (SLURMD_NODENAME), which is no node of job 7");
}

TEST_CASE("slurm jobs: all components of a heterogeneous job are one") {
  std::vector<Member> members = {node_of_job(0, "n1", "30.0"), node_of_job(1, "n3", "31.0")};
  CHECK(slurm_jobs_of(members) == std::vector<std::string>{"30", "31"});
  CHECK(value_of(own_task(members, step_of("31", "1", "n3"))).index == 1);
  check_failure(own_task(members, step_of("32", "1", "n3")), Errc::conflict, "not in jobs 30, 31");
  StepVariables leader = step_of("30", "0", "n3");
  leader["SLURM_NTASKS"] = "1";
  leader["SLURM_HET_SIZE"] = "2";
  leader["SLURM_JOB_ID_HET_GROUP_0"] = "30";
  leader["SLURM_JOB_ID_HET_GROUP_1"] = "31";
  CHECK(value_of(own_task({node_of_job(0, "n3", "31.0")}, leader)).index == 0);
  leader["SLURMD_NODENAME"] = "n1";
  check_failure(own_task({node_of_job(0, "n3", "31.0")}, leader), Errc::conflict, "another component");
}

TEST_CASE("slurm jobs: which members are of Slurm") {
  for (const char* const uid : {"", "7", "7.", ".0", "7.x", "b2c1-4.0", "1.2.3", "-7.0"}) {
    INFO(uid);
    CHECK(slurm_jobs_of({node_of_job(0, "n1", "7.0"), node_of_job(1, "n2", uid)}).empty());
  }
  CHECK(slurm_jobs_of({}).empty());
}
