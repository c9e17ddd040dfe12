// auto: in each supported place, and outside all of them.
#include "resolvers/auto/auto_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

AutoVariables tpu_pod(const std::string& hosts, const std::string& id) {
  return {{"TPU_WORKER_HOSTNAMES", hosts}, {"TPU_WORKER_ID", id}, {"TPU_SKIP_MDS_QUERY", "true"}};
}

constexpr const char* v4_slice = R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-32"}],
                                     "metadata": {"tpu_worker": {"node": "trainer", "worker": 2}}})";

// The metadata server of worker 2, with some values changed.
std::string v4_slice_with(const std::string& values) {
  std::string text = v4_slice;
  return text.insert(text.rfind("}}"), R"(, "values": {)" + values + "}");
}

}  // namespace

TEST_CASE("auto: finds what each launcher leaves in the environment") {
  CHECK(auto_answer({{"TF_CONFIG", R"({"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}})"}}) ==
        R"({"worker":["a:1","b:1"]} 1)");
  CHECK(auto_answer({{"SM_HOSTS", R"(["algo-1","algo-2"])"}, {"SM_CURRENT_HOST", "algo-2"}}) ==
        R"({"worker":["algo-1:2223","algo-2:2223"]} 1)");
  CHECK(auto_answer({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}) ==
        R"({"worker":["localhost:8470","localhost:8471"]} 1)");
  const AutoVariables step = {{"SLURM_JOB_ID", "7"},
                              {"SLURM_PROCID", "1"},
                              {"SLURM_STEP_NODELIST", "n[9-10]"},
                              {"SLURM_STEP_NUM_TASKS", "2"},
                              {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                              {"SLURM_STEP_NUM_NODES", "2"}};
  CHECK(auto_answer(step) == R"({"worker":["n9:8888","n10:8888"]} 1)");  // in the order of the ranks
  CHECK(auto_answer(
            {{"LWS_LEADER_ADDRESS", "lws-0.lws.default"}, {"LWS_GROUP_SIZE", "3"}, {"LWS_WORKER_INDEX", "2"}, {"HOSTNAME", "lws-0-2"}}) ==
        R"({"worker":["lws-0.lws.default:8470","lws-0-1.lws.default:8470","lws-0-2.lws.default:8470"]} 2)");
  CHECK(auto_answer(tpu_pod("job-0-0.svc,job-0-1.svc", "1")) == R"({"worker":["job-0-0.svc:8470","job-0-1.svc:8470"]} 1)");
  CHECK(auto_answer(tpu_pod("localhost", "0")) == R"({"worker":["localhost:8470"]} 0)");
  CHECK(auto_answer({{"TPU_PROCESS_ADDRESSES", "10.0.0.1:8476,[fd00::2]:8476"}, {"TPU_WORKER_ID", "1"}}) ==
        R"({"worker":["10.0.0.1:8476","[fd00::2]:8476"]} 1)");
  CHECK(auto_answer({{"TPU_PROCESS_ADDRESSES", "local"}, {"TPU_WORKER_ID", "0"}}) == R"({"worker":["localhost:8470"]} 0)");
  CHECK(auto_answer(tpu_pod("a,b", "1"), "auto:port=1,job=tpu,task=0") == R"({"tpu":["a:1","b:1"]} 0)");
}

TEST_CASE("auto: prefers the place with more information") {
  AutoVariables srun = {{"SLURM_PROCID", "1"},
                        {"SLURM_STEP_NODELIST", "n[1-2]"},
                        {"SLURM_STEP_NUM_TASKS", "2"},
                        {"SLURM_STEP_NUM_NODES", "2"},
                        {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                        {"PMI_RANK", "1"},
                        {"PMI_SIZE", "2"}};
  CHECK(auto_answer(srun) == R"({"worker":["n1:8888","n2:8888"]} 1)");  // srun --mpi=pmi2
  srun["PMI_RANK"] = "3";
  srun["PMI_SIZE"] = "4";
  srun["MPI_LOCALNRANKS"] = "4";  // mpirun within the step of its own daemon
  CHECK(auto_answer(srun) == R"({"worker":["localhost:8470","localhost:8471","localhost:8472","localhost:8473"]} 3)");
  CHECK(auto_answer(srun, "auto:from=slurm") == R"({"worker":["n1:8888","n2:8888"]} 1)");
  AutoVariables pod = tpu_pod("w1,w2", "0");
  pod["LWS_LEADER_ADDRESS"] = "l-0.l";
  pod["LWS_GROUP_SIZE"] = "3";
  pod["LWS_WORKER_INDEX"] = "1";
  CHECK(auto_answer(pod, "auto:from=tpu_pod+tpu_vm") == R"({"worker":["w1:8470","w2:8470"]} 0)");
  pod["TPU_WORKER_HOSTNAMES"] = "l-0-1.l,l-0-2.l";
  pod["TF_CONFIG"] = R"({"task":{"type":"worker","index":0}})";  // it contains no cluster
  CHECK_THAT(auto_answer(pod), Catch::StartsWith(R"({"worker":["l-0-1.l)"));
}

TEST_CASE("auto: on a TPU VM takes the metadata server's lists") {
  AutoWorld world({}, v4_slice);
  const auto resolver = make_auto_resolver(*world.runtime);
  CHECK_FALSE(resolver->task_id());
  CHECK(resolver->describe() == "auto");
  const auto spec = world.run(resolver->try_cluster_spec());
  REQUIRE(spec);
  CHECK(spec->num_tasks("worker").value() == 4);
  CHECK((resolver->task_id() == 2 && resolver->task_type() == "worker" && resolver->rpc_layer() == "grpc"));
  const AutoChoice choice = resolver->choice().value();
  CHECK(choice.place == Launcher::tpu_vm);
  CHECK(choice.reason == "the metadata server has tpu-env, agent-worker-number, worker-network-endpoints");
  CHECK((choice.tpu.name == "trainer" && choice.tpu.accelerator_type == "v4-32" && choice.contradictions.empty()));
  CHECK(choice.candidates.size() == 15);
  CHECK(resolver->describe() == "auto, here tpu_vm (" + choice.reason + ")");
  CHECK(world.log->lines == std::vector<std::string>{"place_chosen tpu_vm: " + choice.reason});
  CHECK(world.run(resolver->master()) == "grpc://" + spec->task_address("worker", 2).value());
  CHECK(world.run(resolver->num_accelerators()).to_json() == R"({"TPU":4})");
  CHECK(world.run(resolver->choose()).tpu.name == "trainer");
}

TEST_CASE("auto: reads both dialects and both formats of a TPU VM") {
  AutoWorld compute({}, v4_slice_with(R"("instance/attributes/agent-worker-number": null, "instance/name": "vm-2",
      "instance/attributes/worker-network-endpoints": "vm-1,vm-2",
      "instance/attributes/tpu-env": "TPU_ACCELERATOR_TYPE: 'v6e-8'\r\nTPU_WORKER_ID: '1'\r\nHOST_BOUNDS: '1,2,1'\nODD\n")"));
  CHECK(auto_answer(compute) == R"({"worker":["vm-1:8470","vm-2:8470"]} 1)");
  AutoWorld alone({},
                  v4_slice_with(R"("instance/attributes/agent-worker-number": null, "instance/attributes/worker-network-endpoints": null,
      "instance/network-interfaces/0/ip": "10.0.0.9",
      "instance/attributes/tpu-env": "TPU_ACCELERATOR_TYPE: 'v6e-1'\nTPU_WORKER_ID: '0'\nHOST_BOUNDS: '1,1,1'")"));
  CHECK(auto_answer(alone) == R"({"worker":["10.0.0.9:8470"]} 0)");
  AutoWorld listless({}, v4_slice_with(R"("instance/attributes/worker-network-endpoints": null)"));
  CHECK_THAT(auto_answer(listless),
             Catch::StartsWith("malformed_response: auto: this is a TPU VM, but its metadata server has no worker-network-endpoints"));
}

TEST_CASE("auto: never guesses a worker id") {
  const std::string hosts = "w-0.s,w-1.s,w-2.s";
  const auto expect = [](AutoVariables variables, const char* begins, const char* contains) {
    const std::string answer = auto_answer(std::move(variables));
    CHECK_THAT(answer, Catch::StartsWith(begins) && Catch::Contains(contains));
    CHECK_THAT(answer, Catch::Contains("auto:task=N"));
  };
  AutoVariables pod = tpu_pod(hosts, "");
  pod["HOSTNAME"] = "w-1";
  expect(pod,
         "failed_precondition: auto: this worker's id is not known: TPU_WORKER_ID says nothing; the candidates of TPU_WORKER_HOSTNAMES are "
         "0 (w-0.s), 1 (w-1.s), 2 (w-2.s); HOSTNAME is w-1, candidate 1",
         "");
  pod.erase("TPU_WORKER_ID");
  expect(pod, "failed_precondition: ", "TPU_WORKER_ID says nothing");
  // Elsewhere a shell may have set it. In a pod it is the pod's name.
  AutoVariables named = pod;
  named["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  CHECK(auto_answer(named) == R"({"worker":["w-0.s:8470","w-1.s:8470","w-2.s:8470"]} 1)");
  named["HOSTNAME"] = "other-1";
  expect(named, "failed_precondition: ", "TPU_WORKER_ID says nothing");
  AutoVariables group = {{"LWS_LEADER_ADDRESS", "s-0.s"}, {"LWS_GROUP_SIZE", "3"}, {"HOSTNAME", "s-0-2"}};
  expect(group, "failed_precondition: ", "LWS_WORKER_INDEX says nothing");
  group["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  CHECK_THAT(auto_answer(group), Catch::EndsWith("} 2"));
  for (const char* id : {"-1", "x", "1.0", "+1", "99999999999"})
    expect(tpu_pod(hosts, id), "invalid_argument: auto: TPU_WORKER_ID is '", "no worker id");
  expect(tpu_pod(hosts, "3"), "invalid_argument: auto: TPU_WORKER_ID is 3, but TPU_WORKER_HOSTNAMES has 3 hosts", "2 (w-2.s)");
  pod["TPU_WORKER_ID"] = "0";
  expect(pod, "conflict: auto: TPU_WORKER_ID says 0, but HOSTNAME is 'w-1', which is worker 1", "the candidates");
  CHECK_THAT(auto_answer(tpu_pod("a,b,a", "1")),
             Catch::StartsWith("conflict: auto: TPU_WORKER_HOSTNAMES lists 'a' twice, as worker 0 and worker 2"));
  CHECK_THAT(auto_answer(tpu_pod("a,b,A", "1")), Catch::Contains("lists 'A' twice, as worker 0 and worker 2"));
  CHECK(auto_answer(pod, "auto:task=1") == R"({"worker":["w-0.s:8470","w-1.s:8470","w-2.s:8470"]} 1)");
  CHECK_THAT(auto_answer(pod, "auto:task=7"), Catch::Contains("task is 7, but TPU_WORKER_HOSTNAMES has 3 hosts"));

  const auto on_vm = [](const std::string& values, AutoVariables variables = {}) {
    AutoWorld world(std::move(variables), v4_slice_with(values));
    return auto_answer(world);
  };
  CHECK_THAT(on_vm(R"("instance/attributes/agent-worker-number": "", "instance/attributes/tpu-env": "WORKER_ID: ''")"),
             Catch::Contains("agent-worker-number, WORKER_ID in tpu-env, TPU_WORKER_ID, worker-id says nothing") &&
                 Catch::Contains("instance/name is trainer-w-2, candidate 2"));
  CHECK_THAT(on_vm(R"("instance/attributes/agent-worker-number": "1")"),
             Catch::StartsWith("conflict: auto: agent-worker-number says 1, but WORKER_ID in tpu-env says 2"));
  CHECK_THAT(on_vm(R"("instance/name": "trainer-w-3")"), Catch::Contains("instance/name is 'trainer-w-3', which is worker 3"));
  CHECK_THAT(on_vm("", {{"TPU_WORKER_ID", "0"}}), Catch::Contains("TPU_WORKER_ID says 0"));
  CHECK_THAT(auto_answer({{"LWS_LEADER_ADDRESS", "l-0.l"}, {"LWS_GROUP_SIZE", "2"}}), Catch::Contains("LWS_WORKER_INDEX says nothing"));
}

TEST_CASE("auto: reports values that do not fit together") {
  AutoVariables pod = tpu_pod("w-0,w-1", "0");
  pod["TPU_HOST_BOUNDS"] = "2,2,1";
  pod["MEGASCALE_NUM_SLICES"] = "3";
  AutoWorld world(pod);
  const auto resolver = make_auto_resolver(*world.runtime);
  REQUIRE(world.run(resolver->try_cluster_spec()));
  const std::vector<std::string> contradictions = {"MEGASCALE_NUM_SLICES is 3, but MEGASCALE_SLICE_ID is not set",
                                                   "TPU_HOST_BOUNDS is '2,2,1', 4 hosts, but TPU_WORKER_HOSTNAMES has 2"};
  CHECK(resolver->choice()->contradictions == contradictions);
  CHECK(world.log->lines.back() == "value_disputed " + contradictions.back());
  CHECK(resolver->choice()->tpu.num_slices == 3);

  AutoWorld stale({{"MEGASCALE_NUM_SLICES", "3"}, {"MEGASCALE_SLICE_ID", "1"}},
                  v4_slice_with(R"("instance/attributes/tpu-env": "WORKER_ID: '2'\nMEGASCALE_NUM_SLICES: '2'\nMEGASCALE_SLICE_ID: '1'")"));
  const auto on_vm = make_auto_resolver(*stale.runtime);
  REQUIRE(stale.run(on_vm->try_cluster_spec()));
  CHECK(on_vm->choice()->contradictions == std::vector<std::string>{"MEGASCALE_NUM_SLICES is 3 in the environment, but 2 in tpu-env"});
  pod["MEGASCALE_NUM_SLICES"] = "2";
  pod["MEGASCALE_SLICE_ID"] = "2";
  CHECK_THAT(auto_answer(pod), Catch::Contains("MEGASCALE_SLICE_ID is 2, but MEGASCALE_NUM_SLICES is 2") && Catch::Contains("stale"));
  pod["MEGASCALE_SLICE_ID"] = "-1";
  CHECK_THAT(auto_answer(pod), Catch::Contains("invalid_argument: auto: MEGASCALE_SLICE_ID is '-1', no number"));
}

TEST_CASE("auto: off the cloud reports within a second what was examined") {
  // No answer, the worst case for a probe.
  AutoWorld world({{"SM_HOSTS", "[]"}, {"SLURM_JOB_ID", "1"}, {"JOB_COMPLETION_INDEX", "0"}},
                  R"({"faults": [{"match": {"route": "metadata *"}, "fault": "stall"}]})");
  const auto resolver = world.resolver();
  auto running = world.start(resolver->try_cluster_spec());
  world.time->advance_to(SteadyTime{} + std::chrono::seconds(1) - Duration(1));
  world.poll();
  CHECK_FALSE(running.done());
  world.time->advance_to(SteadyTime{} + std::chrono::seconds(1));
  world.poll();
  REQUIRE(running.done());
  const Failure failure = running.value().error();
  CHECK(failure.code() == Errc::failed_precondition);
  CHECK(failure.what() ==
        "auto: found no cluster that this process belongs to (tfconfig: TF_CONFIG is not set; sagemaker: SM_HOSTS is set, but "
        "SM_CURRENT_HOST is not set; mpi: OMPI_COMM_WORLD_RANK, PMI_RANK and PMIX_RANK are not set; slurm: SLURM_JOB_ID is set, but this "
        "is no "
        "step (SLURM_PROCID, SLURM_STEP_NODELIST): start it by srun; vertex: CLUSTER_SPEC is not set; lws: LWS_LEADER_ADDRESS is not "
        "set; tpu_pod: TPU_WORKER_HOSTNAMES and TPU_PROCESS_ADDRESSES are not set; volcano: no VC_TASK_HOSTS is set; skypilot: "
        "SKYPILOT_NODE_IPS is not set; ray: RAY_CLUSTER_NAME is not set; job: JOB_COMPLETION_INDEX is set, but HOSTNAME does not end "
        "in it, "
        "so that the job's name is not known; batch: AWS_BATCH_JOB_NUM_NODES is not set; torch: PET_MASTER_ADDR and MASTER_ADDR are not "
        "set; jax: JAX_COORDINATOR_ADDRESS is not set; "
        "tpu_vm: no metadata server answered at metadata.google.internal within 1000 ms)");
  CHECK_FALSE(resolver->task_id());
  CHECK(world.cloud->total() == 1);
  CHECK_THAT(auto_answer({}), Catch::Contains("no metadata server answered"));  // connection refused
}

TEST_CASE("auto: asks no metadata server if that is forbidden, or if the environment names the place") {
  for (const AutoVariables& variables : {AutoVariables{{"TPU_SKIP_MDS_QUERY", ""}}, AutoVariables{{"NO_GCE_CHECK", "true"}},
                                         AutoVariables{{"METADATA_SERVER_DETECTION", "none"}}, tpu_pod("a,b", "1")}) {
    AutoWorld world(variables, v4_slice);
    (void)auto_answer(world);
    CHECK(world.cloud->total() == 0);
  }
  AutoWorld elsewhere({}, v4_slice);
  CHECK_THAT(auto_answer(elsewhere, "auto:from=slurm+lws"), Catch::StartsWith("failed_precondition: ") && !Catch::Contains("tpu_vm"));
  CHECK(elsewhere.cloud->total() == 0);
}

TEST_CASE("auto: on a Google machine waits for a late metadata server") {
  std::string text = v4_slice;
  text.insert(text.rfind('}'), R"(, "faults": [{"match": {"route": "metadata *"}, "fault": "refuse", "times": 3}])");
  AutoWorld world({}, text, {{"/sys/class/dmi/id/product_name", "Google Compute Engine\n"}});
  CHECK_THAT(auto_answer(world), Catch::EndsWith(" 2"));
  AutoWorld plain({}, R"({"metadata": true})");
  CHECK_THAT(auto_answer(plain), Catch::Contains("has neither tpu-env, agent-worker-number nor worker-network-endpoints"));
}

TEST_CASE("auto: invalid targets and options are refused") {
  AutoWorld world;
  for (const auto& [target, why] : std::initializer_list<std::pair<const char*, const char*>>{{"auto:x", "takes no name"},
                                                                                              {"auto:from=tpu-vm", "did you mean tpu_vm?"},
                                                                                              {"auto:task=x", "not a task index"},
                                                                                              {"auto:port=0", "not a port"}}) {
    CHECK_THAT(make_resolver(*world.runtime, target).error().message(), Catch::Contains(why));
  }
  CHECK_THAT(auto_answer({{"GCE_METADATA_HOST", "a b"}}), Catch::StartsWith("invalid_argument: GCE_METADATA_HOST is not a host"));
  CHECK_THAT(auto_answer({{"TF_CONFIG", "{"}}), Catch::StartsWith("invalid_argument: auto, here tfconfig (TF_CONFIG is set): "));
  CHECK_THAT(auto_answer({{"LWS_LEADER_ADDRESS", "10.0.0.1"}, {"LWS_GROUP_SIZE", "2"}}),
             Catch::Contains("LWS_LEADER_ADDRESS is '10.0.0.1', no host name"));
  for (const char* size : {"0", "-1", "x", "99999999"})
    CHECK_THAT(auto_answer({{"LWS_LEADER_ADDRESS", "a-0.a"}, {"LWS_GROUP_SIZE", size}}), Catch::Contains("LWS_GROUP_SIZE is "));
  CHECK_THAT(auto_answer(tpu_pod("a,,b", "0")), Catch::Contains("TPU_WORKER_HOSTNAMES: element 1 is ''"));
  CHECK_THAT(auto_answer(tpu_pod("a,b c", "0")), Catch::Contains("element 1 is 'b c'"));
}
