// The variables of libtpu and PyTorch/XLA for TPUs. Libtpu itself is not available: the values are those that GKE's own programs set.
#include <set>

#include "base/text.hpp"
#include "launch/random_cluster.hpp"

using namespace rollcall;

namespace {

LaunchFacts tpu_facts(std::string_view type, std::vector<std::string> addresses, int task = 0) {
  LaunchFacts facts = facts_of_workers(std::move(addresses), task);
  facts.accelerator_type = AcceleratorType::parse(type).value();
  return facts;
}

std::vector<std::string> hosts(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(fmt::format("10.0.0.{}:8470", i + 1));
  return all;
}

std::map<std::string, std::string> map_of_form(LaunchFormat form, const LaunchFacts& facts) {
  const EnvironmentVariables variables = launch_environment(form, facts).value();
  return {variables.begin(), variables.end()};
}

// As in the device plugin's tests, without values of a single node: ports of metrics, chips, network cards.
void check_plugin(const std::map<std::string, std::string>& all, const std::string& type, const std::string& topology,
                  const std::string& wrap, const std::string& host_bounds, const std::string& chips) {
  CHECK(all.at("TPU_SKIP_MDS_QUERY") == "true");
  CHECK(all.at("TPU_ACCELERATOR_TYPE") == type);
  CHECK(all.at("TPU_TOPOLOGY") == topology);
  for (const char* const name : {"TPU_TOPOLOGY_WRAP", "WRAP"}) CHECK(all.at(name) == wrap);
  for (const char* const name : {"TPU_HOST_BOUNDS", "HOST_BOUNDS"}) CHECK(all.at(name) == host_bounds);
  for (const char* const name : {"TPU_CHIPS_PER_HOST_BOUNDS", "CHIPS_PER_HOST_BOUNDS"}) CHECK(all.at(name) == chips);
}

}  // namespace

TEST_CASE("libtpu gets the variables that GKE's device plugin sets for a pod") {
  const auto single = map_of_form(LaunchFormat::pjrt, tpu_facts("v6e-4", hosts(1)));
  check_plugin(single, "v6e-4", "2x2", "false,false,false", "1,1,1", "2,2,1");
  CHECK(single.at("TPU_WORKER_ID") == "0");
  CHECK(single.at("TPU_WORKER_HOSTNAMES") == "localhost");
  CHECK(single.size() == 11);
  const auto cube = map_of_form(LaunchFormat::pjrt, tpu_facts("v4-4x4x4", hosts(16), 3));
  check_plugin(cube, "v4-128", "4x4x4", "true,true,true", "2,2,4", "2,2,1");
  CHECK(cube.at("TPU_WORKER_ID") == "3");
  CHECK_THAT(cube.at("TPU_WORKER_HOSTNAMES"), Catch::StartsWith("10.0.0.1,10.0.0.2,"));
  // As in the tpu-env of a v4-256 TPU VM.
  check_plugin(map_of_form(LaunchFormat::pjrt, tpu_facts("v4-256", hosts(32))), "v4-256", "4x4x8", "true,true,true", "2,2,8", "2,2,1");
  check_plugin(map_of_form(LaunchFormat::pjrt, tpu_facts("v5litepod-256", hosts(64))), "v5litepod-256", "16x16", "true,true,false", "8,8,1",
               "2,2,1");
  // Eight chips are one machine in the TPU API, and two in GKE.
  check_plugin(map_of_form(LaunchFormat::pjrt, tpu_facts("v5litepod-8", hosts(1))), "v5litepod-8", "2x4", "false,false,false", "1,1,1",
               "2,4,1");
  check_plugin(map_of_form(LaunchFormat::pjrt, tpu_facts("v5litepod-8", hosts(2))), "v5litepod-8", "2x4", "false,false,false", "1,2,1",
               "2,2,1");
}

TEST_CASE("a tpu7x's processes get each other's addresses as LeaderWorkerSet sets them for containers") {
  const std::vector<std::string> addresses{"test-sample-0.default:1", "test-sample-0.default:2", "test-sample-0-1.default:1",
                                           "test-sample-0-1.default:2"};
  const auto all = map_of_form(LaunchFormat::pjrt, tpu_facts("tpu7x-16", addresses, 3));
  CHECK(all.at("TPU_WORKER_ID") == "3");
  CHECK(all.at("TPU_WORKER_HOSTNAMES") == "test-sample-0.default,test-sample-0.default,test-sample-0-1.default,test-sample-0-1.default");
  CHECK(all.at("TPU_PROCESS_ADDRESSES") ==
        "test-sample-0.default:8476,test-sample-0.default:8477,test-sample-0-1.default:8476,test-sample-0-1.default:8477");
  CHECK(all.at("TPU_PROCESS_PORT") == "8477");
  check_plugin(all, "tpu7x-16", "2x2x2", "false,false,false", "2,1,2", "1,2,1");
  const auto whole = map_of_form(LaunchFormat::pjrt, tpu_facts("tpu7x-16", {"[fd00::1]:1", "[fd00::2]:1"}, 1));
  CHECK(whole.at("TPU_PROCESS_ADDRESSES") == "[fd00::1]:8476,[fd00::2]:8476");
  check_plugin(whole, "tpu7x-16", "2x2x2", "false,false,false", "1,1,2", "2,2,1");
  CHECK(map_of_form(LaunchFormat::pjrt, tpu_facts("tpu7x-8", {"a:1"})).count("TPU_PROCESS_ADDRESSES") == 0);
  CHECK(map_of_form(LaunchFormat::pjrt, tpu_facts("v5p-16", {"a:1", "b:1"})).count("TPU_PROCESS_ADDRESSES") == 0);
}

TEST_CASE("a slice must have as many hosts as its type") {
  const auto failed = [](const LaunchFacts& facts) { return reported(LaunchFormat::pjrt, facts); };
  CHECK_THAT(failed(tpu_facts("v5litepod-16", hosts(3))),
             Catch::StartsWith("failed_precondition: v5litepod-16 has 4 hosts, and slice 0 has 3 tasks at 3 hosts"));
  CHECK_THAT(failed(facts_of_workers(hosts(4))), Catch::StartsWith("failed_precondition: it is not known of which type the TPU is"));
  CHECK_THAT(failed(tpu_facts("v5litepod-16", {"a:1", "a:2", "b:1", "b:2", "c:1", "c:2", "d:1", "d:2"})),
             Catch::StartsWith("failed_precondition: a host of v5litepod-16 is one worker, and a has 2 tasks"));
  CHECK_THAT(failed(tpu_facts("tpu7x-16", {"a:1", "a:2", "b:1"})), Catch::Contains("it must be as many at each"));
  CHECK_THAT(failed(tpu_facts("tpu7x-16", {"a:1", "b:1", "a:2", "b:2"})), Catch::Contains("the tasks at b do not follow each other"));
  CHECK_THAT(failed(tpu_facts("tpu7x-8", {"a:1", "a:2", "a:3"})),
             Catch::Contains("a host of tpu7x-8 has 4 chips: 3 tasks cannot share them"));
}

TEST_CASE("with several slices libtpu's variables describe its own, and MEGASCALE_* the others") {
  LaunchFacts facts;
  facts.spec.set_job("worker0", {"a-0:8470", "a-1:8470"});
  facts.spec.set_job("worker1", {"b-0:8470", "b-1:8470"});
  facts.accelerator_type = AcceleratorType::parse("v4-16").value();
  facts.task.emplace("worker1", 1);
  CHECK(reported(LaunchFormat::megascale, facts) ==
        "MEGASCALE_COORDINATOR_ADDRESS=a-0\nMEGASCALE_NUM_SLICES=2\nMEGASCALE_PORT=8080\nMEGASCALE_SLICE_ID=1\n");
  auto all = map_of_form(LaunchFormat::pjrt, facts);
  CHECK(all.at("TPU_WORKER_ID") == "1");
  CHECK(all.at("TPU_WORKER_HOSTNAMES") == "b-0,b-1");
  CHECK_THAT(reported(LaunchFormat::jax, facts), Catch::Contains(R"("coordinator_address":"a-0:8482","num_processes":4,"process_id":3)"));

  // One job with two slices gives the same.
  LaunchFacts merged = tpu_facts("v4-16", {"a-0:8470", "a-1:8470", "b-0:8470", "b-1:8470"}, 3);
  CHECK_THAT(reported(LaunchFormat::pjrt, merged), Catch::StartsWith("failed_precondition: v4-16 has 2 hosts, and slice 0 has 4 tasks"));
  merged.slices["worker"] = {2, 2};
  CHECK(map_of_form(LaunchFormat::pjrt, merged) == all);
  CHECK(reported(LaunchFormat::megascale, merged) == reported(LaunchFormat::megascale, facts));
  merged.slices["worker"] = {2, 3};
  CHECK_THAT(reported(LaunchFormat::megascale, merged),
             Catch::StartsWith("failed_precondition: the slices of job 'worker' have 5 tasks, and the job has 4"));
}

TEST_CASE("what the environment says of other slices goes along with the own slice") {
  LaunchFacts facts = tpu_facts("v5litepod-8", hosts(2), 1);
  CHECK(map_of_form(LaunchFormat::pjrt, facts).count("MEGASCALE_NUM_SLICES") == 0);
  facts.megascale = {{"MEGASCALE_NUM_SLICES", "3"}, {"MEGASCALE_SLICE_ID", "1"}};
  for (const LaunchFormat form : {LaunchFormat::pjrt, LaunchFormat::torch_xla}) {
    const auto all = map_of_form(form, facts);
    CHECK((all.at("MEGASCALE_NUM_SLICES") == "3" && all.at("MEGASCALE_SLICE_ID") == "1" && all.at("TPU_WORKER_ID") == "1"));
  }
}

TEST_CASE("a host of given bounds") {
  LaunchFacts facts = tpu_facts("v6e-16", hosts(2), 1);
  CHECK_THAT(reported(LaunchFormat::pjrt, facts), Catch::Contains("v6e-16 has 4 hosts, and slice 0 has 2 tasks"));
  facts.accelerator_type = facts.accelerator_type->with_host(Topology({2, 4, 1}, 3)).value();
  check_plugin(map_of_form(LaunchFormat::pjrt, facts), "v6e-16", "4x4", "false,false,false", "2,1,1", "2,4,1");
  // A process for each chip of eight on two hosts.
  std::vector<std::string> chips;
  for (int i = 0; i < 8; ++i) chips.push_back(fmt::format("10.0.0.{}:{}", 1 + i / 4, 9000 + i));
  const auto one = map_of_form(LaunchFormat::torch_xla, tpu_facts("v5litepod-8", chips, 5));
  check_plugin(one, "v5litepod-8", "2x4", "false,false,false", "1,2,1", "2,2,1");
}

TEST_CASE("the slices' port differs from the coordinator's") {
  LaunchFacts facts;
  facts.spec.set_job("s0", {"a:1", "a:2"});
  facts.spec.set_job("s1", {"b:1", "b:2"});
  facts.task.emplace("s1", 1);
  facts.coordinator_port = 8081;
  // As KubeRay's webhook sets it for several containers of a pod.
  CHECK(reported(LaunchFormat::megascale, facts) ==
        "MEGASCALE_COORDINATOR_ADDRESS=a:8081\nMEGASCALE_NUM_SLICES=2\nMEGASCALE_PORT=8082\nMEGASCALE_SLICE_ID=1\n");
  facts.coordinator_port = 65535;
  CHECK_THAT(reported(LaunchFormat::megascale, facts), Catch::StartsWith("invalid_argument: there is no port 65536"));
  facts.coordinator_port.reset();
  facts.port_rule = CoordinatorPort::derived;
  facts.task.emplace("s0", 0);
  const int jax = Endpoint::parse(map_of_form(LaunchFormat::jax, facts).at("JAX_COORDINATOR_ADDRESS")).value().port.value();
  const int megascale = std::stoi(map_of_form(LaunchFormat::megascale, facts).at("MEGASCALE_PORT"));
  CHECK(megascale == (jax == 65535 ? 61440 : jax + 1));
}

TEST_CASE("PyTorch/XLA has a process for each host or for each chip") {
  const auto whole = map_of_form(LaunchFormat::torch_xla, tpu_facts("v5litepod-16", hosts(4), 2));
  CHECK(whole.at("PJRT_DEVICE") == "TPU");
  CHECK(whole.at("MASTER_PORT") == "12355");
  CHECK(whole.count("MASTER_ADDR") == 0);
  CHECK(whole.at("TPU_WORKER_ID") == "2");
  CHECK(whole.count("CLOUD_TPU_TASK_ID") == 0);

  // The values that configure_topology() of torch_xla/_internal/tpu.py sets for local rank 1 of 4 on worker 1.
  std::vector<std::string> chips;
  for (int host = 0; host < 4; ++host)
    for (int chip = 0; chip < 4; ++chip) chips.push_back(fmt::format("10.0.0.{}:{}", host + 1, 9000 + chip));
  auto one = map_of_form(LaunchFormat::torch_xla, tpu_facts("v5litepod-16", chips, 5));
  CHECK(one.at("TPU_PROCESS_BOUNDS") == "4,4,1");
  CHECK(one.at("TPU_CHIPS_PER_PROCESS_BOUNDS") == "1,1,1");
  CHECK(one.at("CLOUD_TPU_TASK_ID") == "5");
  CHECK(one.at("TPU_VISIBLE_CHIPS") == "1");
  CHECK(one.at("TPU_PROCESS_PORT") == "8477");
  CHECK_THAT(one.at("TPU_PROCESS_ADDRESSES"), Catch::StartsWith("10.0.0.1:8476,10.0.0.1:8477,10.0.0.1:8478,10.0.0.1:8479,10.0.0.2:8476,"));
  CHECK(one.at("PJRT_LOCAL_PROCESS_COUNT") == "4");
  CHECK(one.at("PJRT_LOCAL_PROCESS_RANK") == "1");
  CHECK(one.at("TPU_WORKER_ID") == "1");
  CHECK(one.at("TPU_WORKER_HOSTNAMES") == "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4");
  check_plugin(one, "v5litepod-16", "4x4", "false,false,false", "2,2,1", "2,2,1");
  one = map_of_form(LaunchFormat::torch_xla, tpu_facts("tpu7x-8", {"a:1", "a:2", "a:3", "a:4"}, 3));
  CHECK(one.at("TPU_PROCESS_BOUNDS") == "2,2,1,2");
  CHECK(one.at("TPU_PROCESS_ADDRESSES") == "localhost:8476,localhost:8477,localhost:8478,localhost:8479");
  CHECK_THAT(reported(LaunchFormat::torch_xla, tpu_facts("v5litepod-4", {"a:1", "a:2"})),
             Catch::Contains("a host of v5litepod-4 is one worker, and a has 2 tasks"));
}

TEST_CASE("libtpu's values for all tasks can be parsed again as the slices") {
  constexpr std::string_view types[] = {"v2-32",        "v3-64",  "v4-8",   "v4-32",   "v4-2x4x4",
                                        "v5litepod-16", "v5p-64", "v6e-32", "tpu7x-8", "tpu7x-32"};
  std::mt19937 random(8471);
  for (int round = 0; round < 100; ++round) {
    LaunchFacts facts;
    facts.accelerator_type = AcceleratorType::parse(types[random() % std::size(types)]).value();
    const AcceleratorType& type = *facts.accelerator_type;
    const int slices = 1 + static_cast<int>(random() % 3);
    const bool is_one_job = random() % 2 == 0;
    std::vector<std::string> all;
    for (int i = 0; i < slices; ++i) {
      std::vector<std::string> own;
      for (int host = 0; host < type.hosts(); ++host) own.push_back(fmt::format("[fd00:{:x}::{:x}]:8470", i, host + 1));
      if (!is_one_job) facts.spec.set_job(fmt::format("slice {}", i), own);
      all.insert(all.end(), own.begin(), own.end());
      facts.slices["worker"].push_back(type.hosts());
    }
    if (is_one_job) facts.spec.set_job("worker", all);
    std::size_t rank = 0;
    const auto others = given_to_all(LaunchFormat::megascale, facts);
    for (const auto& one : given_to_all(LaunchFormat::pjrt, facts)) {
      const int slice = static_cast<int>(rank) / type.hosts();
      const Endpoint own = Endpoint::parse(all[rank]).value();
      const std::vector<std::string_view> names = split(std::string_view(one.at("TPU_WORKER_HOSTNAMES")), ',');
      CHECK(names.size() == static_cast<std::size_t>(type.hosts()));
      CHECK(names.at(std::stoul(one.at("TPU_WORKER_ID"))) == (type.hosts() == 1 ? "localhost" : own.host));
      const auto product = [&one](const char* name) {
        int result = 1;
        for (const std::string_view part : split(std::string_view(one.at(name)), ',')) result *= parse_decimal<int>(part).value();
        return result;
      };
      CHECK(product("TPU_HOST_BOUNDS") == type.hosts());
      CHECK(product("TPU_CHIPS_PER_HOST_BOUNDS") * type.hosts() == type.chips());
      CHECK(others[rank].at("MEGASCALE_SLICE_ID") == std::to_string(slice));
      CHECK(others[rank].at("MEGASCALE_NUM_SLICES") == std::to_string(slices));
      CHECK(others[rank].at("MEGASCALE_COORDINATOR_ADDRESS") == Endpoint::parse(all.front()).value().host);
      ++rank;
    }
    CHECK(rank == all.size());
  }
}
