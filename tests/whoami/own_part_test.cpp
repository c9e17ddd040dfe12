// The task of a process whose number counts within a part, and a task that another source has declared.
#include "rollcall/own_task.hpp"

#include <map>
#include <string>
#include <vector>

#include "support/result.hpp"

using namespace rollcall;

namespace {

using PartVariables = std::map<std::string, std::string, std::less<>>;

class PartTaskCase {
 public:
  explicit PartTaskCase(std::vector<std::string> workers) { spec.set_job("worker", std::move(workers)); }
  PartTaskCase& with(PartVariables v) {
    variables = std::move(v);
    return *this;
  }

  std::string answer() const {
    const Result<OwnTask> own = find_own_task(spec, *fixed_environment(variables), OwnMachine(), KnownTask(), members);
    if (!own) return std::string(to_string(own.error().code())) + ": " + own.error().what();
    return own->job + " " + std::to_string(own->index) + ": " + own->evidence;
  }

  ClusterSpec spec;
  PartVariables variables;
  std::vector<Member> members;
};

using DeclaredBeside = std::map<std::string, std::string, std::less<>>;

std::string declared(const ClusterSpec& spec, const std::string& job, int index, DeclaredBeside variables) {
  const Result<void> fits =
      check_own_machine(spec, *fixed_environment(std::move(variables)), OwnMachine(), OwnTask(job, index, ""), "TF_CONFIG");
  return fits ? std::string("fits") : fits.error().what();
}

std::string of_three(DeclaredBeside variables) {
  ClusterSpec spec;
  spec.set_job("worker", {"a:1", "b:1", "c:1"});
  return declared(spec, "worker", 1, std::move(variables));
}

}  // namespace

TEST_CASE("an index within a part counts together with the part") {
  PartTaskCase set({"10.4.0.2:1", "10.4.0.3:1", "10.4.0.4:1", "10.4.0.5:1"});
  for (int i = 0; i < 4; ++i) {
    Member& member = set.members.emplace_back("worker", i);
    member.name = "train/jax-node-" + std::to_string(i / 2) + "-" + std::to_string(i % 2) + "-x7k2p";
    MemberPart& part = member.part.emplace("job", i / 2, 0);
    part.member = i % 2;
    part.name = "jax-node-" + std::to_string(i / 2);
  }
  const PartVariables pod = {{"JOB_COMPLETION_INDEX", "1"}, {"HOSTNAME", "jax-node-1-1"}};
  CHECK(set.with(pod).answer() == "worker 3: JOB_COMPLETION_INDEX=1 in job jax-node-1, jax-node-1-1 is HOSTNAME's name");
  CHECK_THAT(set.with({{"JOB_COMPLETION_INDEX", "1"}}).answer(),
             Catch::StartsWith("not_found: ") && Catch::Contains("JOB_COMPLETION_INDEX is 1, which counts within one of the 2 parts"));
  CHECK_THAT(set.with({{"JOB_COMPLETION_INDEX", "1"}, {"HOSTNAME", "other"}}).answer(), Catch::StartsWith("not_found: "));
  CHECK_THAT(
      set.with({{"JOB_COMPLETION_INDEX", "0"}, {"HOSTNAME", "jax-node-1-1"}}).answer(),
      Catch::StartsWith("conflict: JOB_COMPLETION_INDEX is 0, but jax-node-1-1 is HOSTNAME's name, which is member 1 of job jax-node-1"));
  // A part that is the whole cluster needs no name.
  PartTaskCase one({"10.4.0.2:1", "10.4.0.3:1"});
  one.members.assign(set.members.begin(), set.members.begin() + 2);
  CHECK(one.with({{"JOB_COMPLETION_INDEX", "1"}}).answer() == "worker 1: JOB_COMPLETION_INDEX=1");
  // A name that several members share is none.
  for (Member& member : set.members) member.name = "jax-node-1-1";
  CHECK_THAT(set.with(pod).answer(), Catch::StartsWith("not_found: "));
}
TEST_CASE("a number of machines is none of tasks, of which a machine has several") {
  for (const char* const name : {"NODE_RANK", "PET_NODE_RANK", "GROUP_RANK"}) {
    CAPTURE(name);
    CHECK(PartTaskCase({"n1:1", "n2:1"}).with({{name, "1"}}).answer() == std::string("worker 1: ") + name + "=1");
    CHECK_THAT(PartTaskCase({"n1:1", "N1.:2", "n2:1", "n2:2"}).with({{name, "1"}}).answer(),
               Catch::StartsWith("not_found: ") &&
                   Catch::Contains(std::string(name) + " is 1, which counts machines, of which one has several tasks"));
  }
}

TEST_CASE("a task that was declared must not be that of another machine") {
  ClusterSpec spec;
  spec.set_job("chief", {"10.0.0.1:1"});
  spec.set_job("worker", {"10.0.0.2:1", "10.0.0.3:1", "10.0.0.3:2"});
  const auto checked = [&spec](const char* address, const std::string& job, int index) {
    OwnMachine machine;
    machine.addresses = {"192.168.0.7", address};
    const Result<void> fits = check_own_machine(spec, *fixed_environment({}), machine, OwnTask(job, index, ""), "TF_CONFIG");
    return fits ? std::string("fits") : fits.error().what();
  };
  CHECK(checked("10.0.0.2", "worker", 0) == "fits");
  CHECK_THAT(checked("10.0.0.2", "worker", 1),
             Catch::StartsWith("TF_CONFIG says worker 1, but this machine is '10.0.0.2', which is worker 0"));
  CHECK_THAT(checked("10.0.0.1", "worker", 1), Catch::Contains("which is chief 0"));
  CHECK(checked("10.0.0.3", "worker", 1) == "fits");  // one of two on this machine
  CHECK(checked("10.0.0.3", "worker", 2) == "fits");
  CHECK(checked("10.9.9.9", "worker", 1) == "fits");     // not listed: behind another address
  CHECK(checked("10.0.0.2", "evaluator", 0) == "fits");  // outside the cluster
}

TEST_CASE("a task that was declared must be that of every number of as many") {
  for (const auto& [rank, size] :
       {std::pair("RANK", "WORLD_SIZE"), std::pair("PET_NODE_RANK", "PET_NNODES"), std::pair("GROUP_RANK", "GROUP_WORLD_SIZE"),
        std::pair("JAX_PROCESS_ID", "JAX_NUM_PROCESSES"), std::pair("LWS_WORKER_INDEX", "LWS_GROUP_SIZE"), std::pair("NODE_RANK", "NNODES"),
        std::pair("SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES"), std::pair("DSTACK_NODE_RANK", "DSTACK_NODES_NUM"),
        std::pair("AWS_BATCH_JOB_NODE_INDEX", "AWS_BATCH_JOB_NUM_NODES")}) {
    CAPTURE(rank);
    CHECK(of_three({{rank, "1"}, {size, "3"}}) == "fits");
    CHECK_THAT(of_three({{rank, "2"}, {size, "3"}}),
               Catch::StartsWith(std::string("TF_CONFIG says worker 1, but ") + rank + " says worker 2"));
    CHECK(of_three({{rank, "2"}, {size, "6"}}) == "fits");  // it counts something else
    CHECK(of_three({{rank, "2"}, {size, "x"}}) == "fits");
    CHECK(of_three({{rank, "2"}}) == "fits");
  }
  CHECK(of_three({{"JOB_COMPLETION_INDEX", "2"}}) == "fits");                    // of one Job of perhaps several
  CHECK(of_three({{"PET_NODE_RANK", "2"}, {"PET_NNODES", "2:3"}}) == "fits");  // the rendezvous gives the rank
}

TEST_CASE("a task that was declared is compared with a step's rank, and not with that of a launcher's daemons") {
  DeclaredBeside step = {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_NODELIST", "n[1-3]"}, {"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "3"}};
  CHECK_THAT(of_three(step), Catch::StartsWith("TF_CONFIG says worker 1, but SLURM_PROCID says worker 2"));
  step["SLURM_PROCID"] = "1";
  step["SLURM_NODEID"] = "2";  // a rank takes precedence
  step["SLURM_STEP_NUM_NODES"] = "3";
  CHECK(of_three(step) == "fits");
  step["SLURM_PROCID"] = "2";
  step.emplace("OMPI_COMM_WORLD_RANK", "1");
  step.emplace("OMPI_COMM_WORLD_SIZE", "3");
  CHECK(of_three(step) == "fits");
}

TEST_CASE("a task that was declared is compared with the worker of a slice, and of all slices") {
  DeclaredBeside slice = {{"TPU_WORKER_ID", "2"}, {"TPU_WORKER_HOSTNAMES", "a,b,c"}};
  CHECK_THAT(of_three(slice), Catch::StartsWith("TF_CONFIG says worker 1, but TPU_WORKER_ID says worker 2"));
  slice.erase("TPU_WORKER_HOSTNAMES");
  CHECK(of_three(slice) == "fits");
  ClusterSpec both;
  both.set_job("worker", {"a:1", "b:1", "c:1", "d:1"});
  const DeclaredBeside second = {
      {"TPU_WORKER_ID", "1"}, {"TPU_WORKER_HOSTNAMES", "c,d"}, {"MEGASCALE_NUM_SLICES", "2"}, {"MEGASCALE_SLICE_ID", "1"}};
  CHECK(declared(both, "worker", 3, second) == "fits");
  CHECK_THAT(declared(both, "worker", 1, second), Catch::StartsWith("TF_CONFIG says worker 1, but TPU_WORKER_ID says worker 3"));
}

TEST_CASE("a task of one of several jobs is compared with the ranks over all of them") {
  ClusterSpec spec;
  spec.set_job("worker", {"b:1", "c:1"});
  spec.set_job("chief", {"a:1"});
  const auto beside = [&spec](const char* job, int index, const char* rank) {
    return declared(spec, job, index, {{"RANK", rank}, {"WORLD_SIZE", "3"}});
  };
  CHECK(beside("chief", 0, "0") == "fits");
  CHECK(beside("worker", 0, "1") == "fits");
  CHECK(beside("worker", 0, "0") == "fits");  // in the order in which they are listed
  CHECK_THAT(beside("worker", 0, "2"), Catch::StartsWith("TF_CONFIG says worker 0, but RANK says worker 1"));
  CHECK_THAT(beside("worker", 1, "0"), Catch::StartsWith("TF_CONFIG says worker 1, but RANK says chief 0"));
  spec.set_job("ps", {"d:1"});
  CHECK(declared(spec, "worker", 0, {{"RANK", "3"}, {"WORLD_SIZE", "4"}}) == "fits");
}
