// The task of a process: by variables, by addresses and names, and failures when it cannot be determined.
#include "rollcall/own_task.hpp"

#include "rollcall/endpoint.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

using TaskVariables = std::map<std::string, std::string, std::less<>>;

class OwnTaskCase {
 public:
  explicit OwnTaskCase(std::vector<std::string> workers = {"10.0.0.1:8470", "10.0.0.2:8470", "10.0.0.3:8470", "10.0.0.4:8470"}) {
    spec.set_job("worker", std::move(workers));
  }
  OwnTaskCase& with(TaskVariables v) {
    variables = std::move(v);
    return *this;
  }  // clang-format off
  OwnTaskCase& named(std::vector<std::string> v) { machine.names = std::move(v); return *this; }
  OwnTaskCase& at(std::vector<std::string> v) { machine.addresses = std::move(v); return *this; }  // clang-format on

  std::string answer() const {
    const Result<OwnTask> own = find_own_task(spec, *fixed_environment(variables), machine, known, members);
    if (!own) return std::string(to_string(own.error().code())) + ": " + own.error().what();
    return own->job + " " + std::to_string(own->index) + ": " + own->evidence;
  }

  ClusterSpec spec;
  TaskVariables variables;
  OwnMachine machine;
  KnownTask known;
  std::vector<Member> members;
};

std::string reported(TaskVariables variables) { return OwnTaskCase().with(std::move(variables)).answer(); }

}  // namespace

TEST_CASE("each launcher's variable gives the task") {
  CHECK(reported({{"TPU_WORKER_ID", "3"}}) == "worker 3: TPU_WORKER_ID=3");
  CHECK(reported({{"JOB_COMPLETION_INDEX", "2"}}) == "worker 2: JOB_COMPLETION_INDEX=2");
  CHECK(reported({{"LWS_WORKER_INDEX", "1"}, {"LWS_GROUP_SIZE", "4"}}) == "worker 1: LWS_WORKER_INDEX=1");
  CHECK(reported({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_NODELIST", "n[1-4]"}, {"SLURM_PROCID", "3"}, {"SLURM_NODEID", "0"}}) ==
        "worker 3: SLURM_PROCID=3");
  CHECK(reported({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}}) == "worker 0: OMPI_COMM_WORLD_RANK=0");
  CHECK(reported({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}}) == "worker 1: PMI_RANK=1");
  CHECK(reported({{"PET_NODE_RANK", "1"}, {"PET_NNODES", "4"}}) == "worker 1: PET_NODE_RANK=1");
  CHECK(reported({{"PET_NODE_RANK", "1"}, {"PET_NNODES", "2:4"}}) == "worker 1: PET_NODE_RANK=1");
  CHECK(reported({{"GROUP_RANK", "2"}, {"GROUP_WORLD_SIZE", "4"}}) == "worker 2: GROUP_RANK=2");
  CHECK(reported({{"RANK", " 2 "}}) == "worker 2: RANK=2");
  CHECK(reported({{"HOROVOD_RANK", "3"}, {"HOROVOD_SIZE", "4"}}) == "worker 3: HOROVOD_RANK=3");
  CHECK(reported({{"MV2_COMM_WORLD_RANK", "3"}, {"MV2_COMM_WORLD_SIZE", "4"}}) == "worker 3: MV2_COMM_WORLD_RANK=3");
  CHECK(reported({{"ALPS_APP_PE", "1"}}) == "worker 1: ALPS_APP_PE=1");
  CHECK(reported({{"AWS_BATCH_JOB_NODE_INDEX", "2"}, {"AWS_BATCH_JOB_NUM_NODES", "4"}}) == "worker 2: AWS_BATCH_JOB_NODE_INDEX=2");
  CHECK(reported({{"DSTACK_NODE_RANK", "1"}, {"DSTACK_NODES_NUM", "4"}}) == "worker 1: DSTACK_NODE_RANK=1");
  CHECK(reported({{"NODE_RANK", "2"}, {"NNODES", "4"}}) == "worker 2: NODE_RANK=2");
  CHECK(reported({{"JAX_PROCESS_ID", "2"}, {"JAX_NUM_PROCESSES", "4"}}) == "worker 2: JAX_PROCESS_ID=2");
  CHECK(reported({{"JAX_PROCESS_ID", "2"}, {"RANK", "2"}, {"PET_NODE_RANK", ""}}) == "worker 2: RANK=2, JAX_PROCESS_ID=2");
}

TEST_CASE("a variable that counts something other than the tasks is ignored") {
  // A torchrun worker: 4 nodes with 8 processes each.
  TaskVariables worker = {{"RANK", "17"}, {"WORLD_SIZE", "32"}, {"GROUP_RANK", "2"}, {"GROUP_WORLD_SIZE", "4"}};
  CHECK(reported(worker) == "worker 2: GROUP_RANK=2");
  CHECK(OwnTaskCase(std::vector<std::string>(32, "10.0.0.1:1")).with(worker).answer() == "worker 17: RANK=17");
  worker.erase("GROUP_RANK");
  CHECK_THAT(reported(worker),
             Catch::StartsWith("not_found: no variable names this process's task (RANK is 17 of the 32 that WORLD_SIZE gives, but "
                               "worker has 4 tasks), and no task has an address or a name of this machine; the candidates of the "
                               "cluster are worker 0 (10.0.0.1:8470), "));
  CHECK_THAT(reported({{"PET_NODE_RANK", "1"}, {"PET_NNODES", "5:8"}}),
             Catch::Contains("PET_NODE_RANK is 1 of the 5 to 8 that PET_NNODES gives"));
  // Two ranks per node: both would be the node's task.
  const TaskVariables step = {{"SLURM_STEP_NODELIST", "n[1-4]"},
                              {"SLURM_PROCID", "5"},
                              {"SLURM_STEP_NUM_TASKS", "8"},
                              {"SLURM_NODEID", "2"},
                              {"SLURM_STEP_NUM_NODES", "4"}};
  CHECK_THAT(reported(step), Catch::StartsWith("conflict: Slurm started this process as 5 of 8 ") &&
                                 Catch::Contains("but the cluster has 4 tasks: several processes would be one task"));
  // torchrun in each task of the step counts its own groups.
  TaskVariables torch = step;
  torch.insert({{"GROUP_RANK", "2"}, {"GROUP_WORLD_SIZE", "4"}, {"RANK", "4"}, {"WORLD_SIZE", "8"}});
  CHECK(reported(torch) == "worker 2: SLURM_NODEID=2, GROUP_RANK=2");
  // One rank per node.
  TaskVariables alone = step;
  alone["SLURM_PROCID"] = "2";
  alone["SLURM_STEP_NUM_TASKS"] = "4";
  CHECK(reported(alone) == "worker 2: SLURM_PROCID=2");
  // Ranks of mpirun inherit the variables of its daemons' step.
  CHECK(reported({{"SLURM_STEP_NODELIST", "n[1-2]"},
                  {"SLURM_PROCID", "1"},
                  {"SLURM_STEP_NUM_TASKS", "2"},
                  {"OMPI_COMM_WORLD_RANK", "3"},
                  {"OMPI_COMM_WORLD_SIZE", "4"}}) == "worker 3: OMPI_COMM_WORLD_RANK=3");
  CHECK_THAT(
      reported({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}),
      Catch::StartsWith("not_found: ") && Catch::Contains("SLURM_PROCID is set, but this is a batch script: an allocation, not a task"));
  // A slice of one host in each pod of a Job.
  CHECK(reported({{"JOB_COMPLETION_INDEX", "3"}, {"TPU_WORKER_ID", "0"}, {"TPU_WORKER_HOSTNAMES", "localhost"}}) ==
        "worker 3: JOB_COMPLETION_INDEX=3");
}

TEST_CASE("Slurm's name of the machine must match its rank, or the tasks are in another order than the ranks") {
  TaskVariables step = {
      {"SLURM_STEP_NODELIST", "n[9-12]"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURMD_NODENAME", "n10"}};
  const std::vector<std::string> by_rank = {"n9:1", "n10:1", "n11:1", "n12:1"};
  const std::vector<std::string> by_name = {"n10:1", "n11:1", "n12:1", "n9:1"};
  CHECK(OwnTaskCase(by_rank).with(step).answer() == "worker 1: SLURM_PROCID=1, n10 is SLURMD_NODENAME's name");
  CHECK_THAT(OwnTaskCase(by_name).with(step).answer(),
             Catch::StartsWith("conflict: SLURM_PROCID says worker 1, but SLURMD_NODENAME is 'n10', which is worker 0; "));
  // Without any other source, the machine's name counts.
  step.erase("SLURM_PROCID");
  CHECK(OwnTaskCase(by_name).with(step).answer() == "worker 0: n10 is SLURMD_NODENAME's name");
  // A batch script runs on the first node of a job, regardless of the tasks.
  CHECK_THAT(OwnTaskCase(by_name).with({{"SLURM_JOB_ID", "7"}, {"SLURMD_NODENAME", "n10"}}).answer(), Catch::StartsWith("not_found: "));
}

TEST_CASE("a worker of a multislice job counts the slices before its own") {
  TaskVariables pod = {{"TPU_WORKER_ID", "1"},
                       {"JOB_COMPLETION_INDEX", "1"},
                       {"TPU_WORKER_HOSTNAMES", "s-0,s-1"},
                       {"MEGASCALE_NUM_SLICES", "2"},
                       {"MEGASCALE_SLICE_ID", "1"}};
  CHECK(reported(pod) == "worker 3: TPU_WORKER_ID=1 and MEGASCALE_SLICE_ID=1, JOB_COMPLETION_INDEX=1 and MEGASCALE_SLICE_ID=1");
  CHECK(OwnTaskCase({"s-0:1", "s-1:1"}).with(pod).answer() == "worker 1: TPU_WORKER_ID=1, JOB_COMPLETION_INDEX=1");
  OwnTaskCase jobs({"a:1", "b:1"});
  jobs.spec.set_job("worker1", {"c:1", "d:1"});
  CHECK_THAT(jobs.with(pod).answer(), Catch::StartsWith("worker1 1: TPU_WORKER_ID=1 and MEGASCALE_SLICE_ID=1"));
  CHECK_THAT(OwnTaskCase({"a:1", "b:1", "c:1"}).with(pod).answer(),
             Catch::Contains("TPU_WORKER_ID is 1 of the 2 that TPU_WORKER_HOSTNAMES gives"));
  TaskVariables unknown = pod;
  unknown.erase("MEGASCALE_SLICE_ID");
  CHECK_THAT(reported(unknown), Catch::StartsWith("not_found: ") && Catch::Contains("but MEGASCALE_SLICE_ID is not set"));
  unknown = pod;
  unknown.erase("TPU_WORKER_HOSTNAMES");
  CHECK_THAT(reported(unknown),
             Catch::StartsWith("not_found: ") && Catch::Contains("the number of hosts in each of the 2 slices is not known"));
  pod["MEGASCALE_SLICE_ID"] = "2";
  CHECK_THAT(reported(pod), Catch::StartsWith("invalid_argument: MEGASCALE_SLICE_ID is 2, but MEGASCALE_NUM_SLICES is 2"));
  pod["MEGASCALE_SLICE_ID"] = "x";
  CHECK_THAT(reported(pod), Catch::StartsWith("invalid_argument: MEGASCALE_SLICE_ID is 'x', no number"));
}

TEST_CASE("a variable that is not a number, or not the index of a task, is an error that names it") {
  for (const char* const text : {"-1", "x", "1e9", "1.0", "+1", "0x1", "99999999999", "\xd9\xa1", "$(x)", "1\n2"}) {
    CAPTURE(text);
    for (const char* const name : {"RANK", "TPU_WORKER_ID", "PET_NODE_RANK", "JAX_PROCESS_ID"})
      CHECK_THAT(reported({{name, text}}), Catch::StartsWith(std::string("invalid_argument: ") + name + " is '") &&
                                               Catch::Contains("no number from 0") && Catch::Contains("the candidates"));
    CHECK_THAT(reported({{"RANK", "0"}, {"WORLD_SIZE", text}}), Catch::StartsWith("invalid_argument: WORLD_SIZE is '"));
  }
  for (const char* const text : {"2:", ":2", "4:2", "2:4:6", "0:4"})
    CHECK_THAT(reported({{"PET_NODE_RANK", "0"}, {"PET_NNODES", text}}), Catch::StartsWith("invalid_argument: PET_NNODES is '"));
  CHECK_THAT(reported({{"RANK", "99"}, {"WORLD_SIZE", "2"}}), Catch::StartsWith("invalid_argument: RANK is 99, but WORLD_SIZE is 2; "));
  CHECK_THAT(reported({{"RANK", "4"}}),
             Catch::StartsWith("invalid_argument: RANK=4, but the cluster has no worker 4 that this could be; "));
  CHECK_THAT(reported({{"TPU_WORKER_ID", "2"}, {"TPU_WORKER_HOSTNAMES", "a,b"}}),
             Catch::StartsWith("invalid_argument: TPU_WORKER_ID is 2, but TPU_WORKER_HOSTNAMES lists 2"));
  OwnTaskCase sparse;
  REQUIRE(sparse.spec.set_job("worker", ClusterSpec::Tasks{{0, "a:1"}, {2, "c:1"}}));
  CHECK(sparse.with({{"RANK", "2"}, {"WORLD_SIZE", "3"}}).answer() == "worker 2: RANK=2");
  CHECK_THAT(sparse.with({{"RANK", "1"}, {"WORLD_SIZE", "3"}}).answer(),
             Catch::StartsWith("invalid_argument: RANK=1, but the cluster has no"));
}

TEST_CASE("contradictory sources are an error that names both") {
  CHECK_THAT(reported({{"RANK", "1"}, {"JAX_PROCESS_ID", "2"}}),
             Catch::StartsWith("conflict: RANK says worker 1, but JAX_PROCESS_ID says worker 2; the candidates"));
  OwnTaskCase here;
  here.with({{"RANK", "0"}}).at({"172.17.0.1", "10.0.0.2"}).named({"vm"});
  CHECK(here.answer() ==
        "conflict: RANK says worker 0, but this machine is '10.0.0.2', which is worker 1; the candidates of the cluster are worker 0 "
        "(10.0.0.1:8470), worker 1 (10.0.0.2:8470), worker 2 (10.0.0.3:8470), worker 3 (10.0.0.4:8470); this machine is vm, 172.17.0.1, "
        "none of them, 10.0.0.2, candidate worker 1");
  CHECK(here.with({{"RANK", "1"}}).answer() == "worker 1: RANK=1, 10.0.0.2 is this machine's address");
  // Several tasks on this machine: the variable selects one.
  OwnTaskCase shared({"10.0.0.2:1", "10.0.0.2:2", "10.0.0.3:1"});
  CHECK(shared.at({"10.0.0.2"}).with({{"RANK", "1"}}).answer() == "worker 1: RANK=1, 10.0.0.2 is this machine's address");
  CHECK_THAT(shared.with({{"RANK", "2"}}).answer(), Catch::StartsWith("conflict: ") && Catch::Contains("which is worker 0 and worker 1"));
  // Loopback addresses exist on every machine.
  for (const char* const own :
       {"127.0.0.1", "::1", "localhost", "0.0.0.0", "fe80::1", "169.254.1.1", "::ffff:127.0.0.1", "localhost.localdomain"}) {
    CAPTURE(own);
    OwnTaskCase local({"10.0.0.1:1", Endpoint(own, 1).to_text()});
    CHECK(local.at({own}).named({own}).with({{"RANK", "0"}}).answer() == "worker 0: RANK=0");
    CHECK_THAT(local.with({}).answer(), Catch::StartsWith("not_found: "));
  }
}

TEST_CASE("a machine's own address or name gives its task") {
  const auto found = [](std::vector<std::string> tasks, std::vector<std::string> names, std::vector<std::string> addresses) {
    return OwnTaskCase(std::move(tasks)).named(std::move(names)).at(std::move(addresses)).answer();
  };
  CHECK(found({"10.0.0.1:1", "10.0.0.4:1"}, {}, {"10.0.0.4"}) == "worker 1: 10.0.0.4 is this machine's address");
  CHECK(found({"a:1", "[fd00::1]:1"}, {}, {"FD00:0::1"}) == "worker 1: FD00:0::1 is this machine's address");
  CHECK(found({"a:1", "[::ffff:10.0.0.4]:1"}, {}, {"10.0.0.4"}) == "worker 1: 10.0.0.4 is this machine's address");
  CHECK(found({"a:1", "b:1"}, {"B"}, {}) == "worker 1: B is this machine's name");
  CHECK(found({"a:1", "b.:1"}, {"b"}, {}) == "worker 1: b is this machine's name");
  CHECK(found({"w-0.s.ns:1", "W-1.s.ns:1"}, {"w-1"}, {}) == "worker 1: w-1 is this machine's name");
  CHECK(found({"w-0:1", "w-1:1"}, {"w-1.s.ns.svc.cluster.local."}, {}) == "worker 1: w-1.s.ns.svc.cluster.local. is this machine's name");
  CHECK(found({"w-0.s:1", "w-1.s:1"}, {"w-1.s.ns.svc"}, {}) == "worker 1: w-1.s.ns.svc is this machine's name");
  CHECK_THAT(found({"w.a:1", "x.a:1"}, {"w.b"}, {}), Catch::StartsWith("not_found: "));
  CHECK_THAT(found({"w.a:1", "wx.a:1"}, {"w.a.b", "wx"}, {}), Catch::StartsWith("not_found: ") && Catch::Contains("which is worker 1"));
  // A short name that matches two hosts proves nothing; a full name does.
  CHECK_THAT(found({"w.a:1", "w.b:1"}, {"w"}, {}), Catch::StartsWith("not_found: ") && Catch::Contains("this machine is w, none of them"));
  CHECK(found({"w.a:1", "w.b:1"}, {"w", "w.b"}, {}) == "worker 1: w.b is this machine's name");
  CHECK(found({"w.a:1", "w.b:1"}, {"W.B."}, {}) == "worker 1: W.B. is this machine's name");
  CHECK_THAT(found({"10.0.0.4:1", "10.0.0.4:2"}, {}, {"10.0.0.4"}),
             Catch::StartsWith("not_found: 10.0.0.4 is this machine's address, and worker 0 and worker 1 have it: "));
  CHECK_THAT(found({"10.0.0.4:1", "w:1"}, {"w"}, {"10.0.0.4"}),
             Catch::StartsWith(
                 "not_found: w is this machine's name, which is worker 1, but 10.0.0.4 is this machine's address, which is worker 0"));
  CHECK_THAT(found({"a:1", "b:1"}, {}, {}),
             Catch::StartsWith("not_found: no variable names this process's task (a launcher's, such as JOB_COMPLETION_INDEX, ") &&
                 Catch::EndsWith("no name or address of this host is known"));
  CHECK_THAT(found({"a:1", "b:1"}, {"\x1b[31m"}, {"x"}), Catch::Contains("this machine is \\x1b[31m, x, none of them"));
}

TEST_CASE("SageMaker's name of the host counts") {
  OwnTaskCase hosts({"algo-1:1", "algo-2:1"});
  CHECK(hosts.with({{"SM_CURRENT_HOST", "algo-2"}}).answer() == "worker 1: algo-2 is SM_CURRENT_HOST's name");
  CHECK_THAT(hosts.with({{"SM_CURRENT_HOST", "algo-2"}, {"RANK", "0"}, {"WORLD_SIZE", "2"}}).answer(),
             Catch::StartsWith("conflict: RANK says worker 0, but SM_CURRENT_HOST is 'algo-2', which is worker 1"));
}

TEST_CASE("numbers apply to one job; addresses apply to all jobs") {
  OwnTaskCase two;
  two.spec.set_job("ps", {"10.0.1.1:1"});
  CHECK_THAT(two.with({{"RANK", "1"}}).answer(),
             Catch::StartsWith("not_found: ") && Catch::Contains("RANK is 1, but the cluster has 2 jobs"));
  CHECK(two.at({"10.0.1.1"}).answer() == "ps 0: 10.0.1.1 is this machine's address");
  two.known.job = "worker";
  CHECK(two.at({}).answer() == "worker 1: RANK=1");
  two.known.index = 2;
  CHECK_THAT(two.answer(), Catch::StartsWith("invalid_argument: RANK=1, but the cluster has no worker 1 that this could be"));
  two.with({}).at({"10.0.0.3"});
  CHECK(two.answer() == "worker 2: 10.0.0.3 is this machine's address");
  two.known.job = "evaluator";
  CHECK(two.answer() == "not_found: the cluster has no task that this could be");
  OwnTaskCase with_empty;
  with_empty.spec.set_job("ps", std::vector<std::string>());
  CHECK(with_empty.with({{"RANK", "1"}}).answer() == "worker 1: RANK=1");
}

TEST_CASE("a failure lists eight candidates at most") {
  OwnTaskCase many(std::vector<std::string>(100'000, "a:1"));
  many.named(std::vector<std::string>(100, "vm"));
  const std::string text = many.answer();
  CHECK_THAT(text, Catch::Contains("worker 7 (a:1) and 99992 more; this machine is vm") && Catch::EndsWith("and 94 more"));
  CHECK_THAT(many.named({"a"}).answer(), Catch::Contains("worker 6, worker 7 and 99992 more have it"));
}

TEST_CASE("a launcher within a scheduler's tasks counts, not the scheduler") {
  // mpirun starts a daemon on each of three nodes by srun, and two processes each.
  TaskVariables process = {{"SLURM_STEP_NODELIST", "n[9-11]"}, {"SLURM_PROCID", "1"},         {"SLURM_STEP_NUM_TASKS", "3"},
                           {"OMPI_COMM_WORLD_RANK", "3"},      {"OMPI_COMM_WORLD_SIZE", "6"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  const std::vector<std::string> daemons = {"n9:1", "n10:1", "n11:1"};
  CHECK_THAT(OwnTaskCase(daemons).with(process).answer(),
             Catch::StartsWith("conflict: Open MPI started this process as 3 of 6 (OMPI_COMM_WORLD_RANK=3, OMPI_COMM_WORLD_SIZE=6, "
                               "OMPI_COMM_WORLD_LOCAL_RANK=1, OMPI_COMM_WORLD_LOCAL_SIZE=2), but the cluster has 3 tasks: several "
                               "processes would be one task"));
  CHECK(OwnTaskCase({"n9:1", "n9:2", "n10:1", "n10:2", "n11:1", "n11:2"}).with(process).answer() == "worker 3: OMPI_COMM_WORLD_RANK=3");
  // As many processes as daemons, but not one on each node: the launcher's rank counts.
  process["OMPI_COMM_WORLD_RANK"] = "2";
  process["OMPI_COMM_WORLD_SIZE"] = "3";
  process["OMPI_COMM_WORLD_LOCAL_SIZE"] = "3";
  process["OMPI_COMM_WORLD_LOCAL_RANK"] = "2";
  CHECK(OwnTaskCase(daemons).with(process).answer() == "worker 2: OMPI_COMM_WORLD_RANK=2");
  // Slurm's node counts among the nodes of mpirun's daemons, of which there may be as many as processes.
  process["SLURM_NODEID"] = "1";
  process["SLURM_STEP_NUM_NODES"] = "3";
  CHECK(OwnTaskCase(daemons).with(process).answer() == "worker 2: OMPI_COMM_WORLD_RANK=2");
  process.erase("SLURM_NODEID");
  process.erase("SLURM_STEP_NUM_NODES");
  // A process of its own within each task of the step.
  process["OMPI_COMM_WORLD_RANK"] = "0";
  process["OMPI_COMM_WORLD_SIZE"] = "1";
  process.erase("OMPI_COMM_WORLD_LOCAL_RANK");
  process.erase("OMPI_COMM_WORLD_LOCAL_SIZE");
  CHECK(OwnTaskCase(daemons).with(process).answer() == "worker 1: SLURM_PROCID=1");
  // Slurm's own PMI has Slurm's numbers.
  CHECK(OwnTaskCase(daemons)
            .with({{"SLURM_STEP_NODELIST", "n[9-11]"},
                   {"SLURM_PROCID", "1"},
                   {"SLURM_STEP_NUM_TASKS", "3"},
                   {"PMI_RANK", "1"},
                   {"PMI_SIZE", "3"}})
            .answer() == "worker 1: PMI_RANK=1, SLURM_PROCID=1");
}
