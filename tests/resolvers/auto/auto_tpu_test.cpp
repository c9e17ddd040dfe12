// auto: on TPUs: the slices of a job, the processes of a group, and what the environment says of type and shape.
#include "resolvers/auto/auto_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

AutoVariables slice_of_two(AutoVariables more = {}) {
  AutoVariables pod = {{"TPU_WORKER_HOSTNAMES", "jax-node-1-0.jax,jax-node-1-1.jax"},
                       {"TPU_WORKER_ID", "1"},
                       {"MEGASCALE_NUM_SLICES", "2"},
                       {"MEGASCALE_SLICE_ID", "1"},
                       {"MEGASCALE_COORDINATOR_ADDRESS", "jax-node-0-0.jax"},
                       {"TPU_SKIP_MDS_QUERY", "true"}};
  for (const auto& [name, value] : more) pod[name] = value;
  return pod;
}

constexpr const char* own_slice = R"({"worker":["jax-node-1-0.jax:8470","jax-node-1-1.jax:8470"]} 1)";
constexpr const char* both_slices =
    R"({"worker":["jax-node-0-0.jax:8470","jax-node-0-1.jax:8470","jax-node-1-0.jax:8470","jax-node-1-1.jax:8470"]} 3)";

AutoChoice choice_in(AutoVariables variables, const std::string& cloud = R"({"metadata": false})") {
  AutoWorld world(std::move(variables), cloud);
  return world.run(make_auto_resolver(*world.runtime)->try_choose()).value();
}

// A TPU VM with these attributes; `address` is its own.
std::string vm(const std::string& address, const std::string& attributes) {
  return R"({"metadata": {"values": {"instance/name": "t1v-w", "instance/network-interfaces/0/ip": ")" + address + "\"" + attributes +
         "}}}";
}

std::string attribute(const std::string& name, const std::string& value) {
  return R"(, "instance/attributes/)" + name + R"(": ")" + value + "\"";
}

std::string answer_on(const std::string& cloud, const std::string& target = "auto:") {
  AutoWorld world({}, cloud);
  return auto_answer(world, target);
}

// The topology, chips of a host, and hosts; or why they are not known.
std::string shape_in(AutoVariables variables, const std::string& cloud = R"({"metadata": false})") {
  const AutoTpu tpu = choice_in(std::move(variables), cloud).tpu;
  if (!tpu.type) return tpu.type_fault;
  return fmt::format("{} {} {} {}", tpu.type->name(), tpu.type->topology().to_text(), tpu.type->chips_per_host_bounds().to_bounds(),
                     tpu.type->host_bounds().to_bounds());
}

AutoVariables pod_of(const std::string& type, const std::string& hosts, AutoVariables more = {}) {
  AutoVariables pod = {{"TPU_WORKER_HOSTNAMES", hosts}, {"TPU_WORKER_ID", "0"}, {"TPU_ACCELERATOR_TYPE", type}};
  for (const auto& [name, value] : more) pod[name] = value;
  return pod;
}

}  // namespace

TEST_CASE("auto: finds the hosts of all slices where the names show them") {
  CHECK(auto_answer(slice_of_two()) == both_slices);
  CHECK(auto_answer(slice_of_two({{"HOSTNAME", "jax-node-1-1"}, {"MEGASCALE_COORDINATOR_ADDRESS", "JAX-node-0-0.jax:8080"}})) ==
        both_slices);
  CHECK(auto_answer(slice_of_two(), "auto:task=2") == std::string(both_slices).substr(0, std::string(both_slices).size() - 1) + "2");
  CHECK_THAT(auto_answer(slice_of_two(), "auto:task=4"), Catch::Contains("task is 4") && Catch::Contains("has 4 hosts"));
  const AutoTpu tpu = choice_in(slice_of_two()).tpu;
  CHECK((tpu.has_all_slices && !tpu.is_part() && tpu.slice_tasks == 2 && tpu.job == "worker"));
  // A slice of one host names it localhost, and its own name is in HOSTNAME.
  CHECK(auto_answer(slice_of_two({{"TPU_WORKER_HOSTNAMES", "localhost"}, {"TPU_WORKER_ID", "0"}, {"HOSTNAME", "jax-node-1-0"}})) ==
        R"({"worker":["jax-node-0-0.jax:8470","jax-node-1-0.jax:8470"]} 1)");
  // Two containers of a host.
  CHECK(
      auto_answer(slice_of_two({{"TPU_PROCESS_ADDRESSES", "jax-node-1-0.jax:8476,jax-node-1-0.jax:8477"}, {"TPU_WORKER_HOSTNAMES", ""}})) ==
      R"({"worker":["jax-node-0-0.jax:8476","jax-node-0-0.jax:8477","jax-node-1-0.jax:8476","jax-node-1-0.jax:8477"]} 3)");
}

TEST_CASE("auto: is one slice where the names do not show the others") {
  const AutoVariables others[] = {
      {{"MEGASCALE_COORDINATOR_ADDRESS", ""}},                     // not known
      {{"MEGASCALE_COORDINATOR_ADDRESS", "10.0.0.1"}},             // no name
      {{"MEGASCALE_COORDINATOR_ADDRESS", "jax-node-0-0.other"}},   // another domain
      {{"MEGASCALE_COORDINATOR_ADDRESS", "jax-node-0-1.jax"}},     // not the first host
      {{"MEGASCALE_COORDINATOR_ADDRESS", "other-node-0-0.jax"}},   // another job
      {{"MEGASCALE_COORDINATOR_ADDRESS", "jax-node-00-0.jax"}},    // no number as a controller writes it
      {{"MEGASCALE_SLICE_ID", "0"}},                               // the names say 1
      {{"MEGASCALE_SLICE_ID", ""}},
      {{"HOSTNAME", "jax-node-0-1"}},                              // this host is in slice 0
  };
  for (const AutoVariables& more : others) {
    CAPTURE(more.begin()->second);
    CHECK(auto_answer(slice_of_two(more)) == own_slice);
    CHECK(choice_in(slice_of_two(more)).tpu.is_part());
  }
  CHECK(choice_in(slice_of_two({{"TPU_WORKER_HOSTNAMES", "jax-node-1-1.jax,jax-node-1-0.jax"}})).tpu.is_part());
  CHECK(choice_in(slice_of_two({{"TPU_WORKER_HOSTNAMES", "jax-node-1-0.jax,jax-node-2-1.jax"}})).tpu.is_part());
  CHECK(choice_in(slice_of_two({{"TPU_WORKER_HOSTNAMES", "localhost"}, {"TPU_WORKER_ID", "0"}})).tpu.is_part());
  for (const AutoVariables& more : {AutoVariables{{"MEGASCALE_NUM_SLICES", "1"}, {"MEGASCALE_SLICE_ID", "0"}},
                                    AutoVariables{{"MEGASCALE_NUM_SLICES", ""}, {"MEGASCALE_SLICE_ID", ""}}}) {
    CHECK(auto_answer(slice_of_two(more)) == own_slice);
    const AutoTpu tpu = choice_in(slice_of_two(more)).tpu;
    CHECK((!tpu.is_part() && tpu.megascale.empty()));
  }
  CHECK_THAT(auto_answer(slice_of_two({{"MEGASCALE_NUM_SLICES", "1000000"}})),
             Catch::StartsWith("limit_exceeded: auto: 1000000 slices of 2"));
}

TEST_CASE("auto: compares the coordinator of the slices with this slice's hosts") {
  CHECK(choice_in(slice_of_two({{"MEGASCALE_SLICE_ID", "0"}})).contradictions.at(0) ==
        "MEGASCALE_SLICE_ID is 0, but MEGASCALE_COORDINATOR_ADDRESS, a host of slice 0, is 'jax-node-0-0.jax', none of this slice");
  CHECK_THAT(choice_in(slice_of_two({{"MEGASCALE_COORDINATOR_ADDRESS", "jax-node-1-0"}})).contradictions.at(0),
             Catch::EndsWith("'jax-node-1-0', a host of this slice"));
  CHECK(choice_in(slice_of_two({{"MEGASCALE_SLICE_ID", "0"}, {"MEGASCALE_COORDINATOR_ADDRESS", "10.0.0.1"}})).contradictions.empty());
  CHECK_THAT(choice_in(slice_of_two({{"HOSTNAME", "jax-node-0-1"}})).contradictions.at(0), Catch::StartsWith("HOSTNAME is 'jax-node-0-1'"));
}

TEST_CASE("auto: on a VM of a multislice job keeps what tpu-env says of the others") {
  const std::string cloud =
      vm("10.164.0.12", attribute("agent-worker-number", "1") + attribute("worker-network-endpoints", "a:b:10.164.0.11,a:b:10.164.0.12") +
                            attribute("tpu-env",
                                      "MEGASCALE_NUM_SLICES: '3'\\nMEGASCALE_SLICE_ID: '1'\\nMEGASCALE_TRANSPORT_TYPE: 'grpc'\\n"
                                      "MEGASCALE_COORDINATOR_ADDRESS: '10.164.0.2'\\nMEGASCALE_PORT: '8080'\\nMEGASCALE_EMPTY: ''"));
  const AutoTpu tpu = choice_in({{"MEGASCALE_PORT", "9000"}}, cloud).tpu;
  CHECK(tpu.is_part());
  CHECK(tpu.megascale == std::map<std::string, std::string>{{"MEGASCALE_COORDINATOR_ADDRESS", "10.164.0.2"},
                                                            {"MEGASCALE_NUM_SLICES", "3"},
                                                            {"MEGASCALE_PORT", "9000"},
                                                            {"MEGASCALE_SLICE_ID", "1"},
                                                            {"MEGASCALE_TRANSPORT_TYPE", "grpc"}});
}

TEST_CASE("auto: numbers of slices in tpu-env are numbers") {
  const auto with = [](const std::string& env) {
    return answer_on(vm("10.0.0.9", attribute("worker-network-endpoints", "a:b:10.0.0.9") + attribute("tpu-env", env)));
  };
  CHECK(with("MEGASCALE_NUM_SLICES: ''\\nMEGASCALE_SLICE_ID: ''") == R"({"worker":["10.0.0.9:8470"]} 0)");
  for (const char* bad : {"x", "-1", "2.0", "99999999999"})
    CHECK_THAT(with(fmt::format("MEGASCALE_NUM_SLICES: '{}'", bad)), Catch::Contains("tpu-env: MEGASCALE_NUM_SLICES is '"));
  CHECK_THAT(with("MEGASCALE_NUM_SLICES: '2'\\nMEGASCALE_SLICE_ID: '2'"),
             Catch::Contains("MEGASCALE_SLICE_ID is 2, but MEGASCALE_NUM_SLICES is 2"));
}

TEST_CASE("auto: in a LeaderWorkerSet takes the processes with a TPU") {
  AutoVariables pod = {{"LWS_LEADER_ADDRESS", "s-0.s.default"},
                       {"LWS_GROUP_SIZE", "5"},
                       {"LWS_WORKER_INDEX", "2"},
                       {"HOSTNAME", "s-0-2"},
                       {"TPU_WORKER_ID", "1"},
                       {"TPU_WORKER_HOSTNAMES", "s-0-1.s,s-0-2.s,s-0-3.s,s-0-4.s"}};
  const auto with = [&pod](AutoVariables more) {
    AutoVariables all = pod;
    for (const auto& [name, value] : more) all[name] = value;
    return all;
  };
  CHECK(auto_answer(pod) == R"({"worker":["s-0-1.s:8470","s-0-2.s:8470","s-0-3.s:8470","s-0-4.s:8470"]} 1)");
  CHECK(auto_answer(with({{"HOSTNAME", ""}})) == auto_answer(pod));  // the index in the group shows the host
  CHECK_THAT(auto_answer(with({{"TPU_WORKER_ID", "2"}})),
             Catch::StartsWith("conflict: auto: TPU_WORKER_ID says 2, but HOSTNAME is 's-0-2'"));
  CHECK_THAT(auto_answer(with({{"TPU_WORKER_ID", ""}})), Catch::Contains("TPU_WORKER_ID says nothing"));
  CHECK_THAT(auto_answer(with({{"TPU_WORKER_ID", "4"}})), Catch::Contains("TPU_WORKER_ID is 4, but TPU_WORKER_HOSTNAMES has 4 hosts"));
  CHECK_THAT(
      auto_answer(with({{"TPU_WORKER_HOSTNAMES", "a,b"}})),
      Catch::StartsWith("conflict: auto: TPU_WORKER_ID is 1, which is 'b' in TPU_WORKER_HOSTNAMES, but LWS_WORKER_INDEX is '2' of a group "
                        "of 5, 's-0-2.s.default', on 's-0-2'"));
  CHECK(auto_answer(with({{"TPU_WORKER_HOSTNAMES", "a,b"}}), "auto:task=0") == R"({"worker":["a:8470","b:8470"]} 0)");
  // A subgroup is a slice of its own.
  CHECK(auto_answer(with({{"TPU_WORKER_HOSTNAMES", "s-0-2.s,s-0-3.s"}, {"TPU_WORKER_ID", "0"}})) ==
        R"({"worker":["s-0-2.s:8470","s-0-3.s:8470"]} 0)");
  // Slices of one host each, and pods without a TPU, are the group.
  CHECK_THAT(auto_answer(with({{"TPU_WORKER_HOSTNAMES", "localhost"}, {"TPU_WORKER_ID", "0"}})),
             Catch::StartsWith(R"({"worker":["s-0.s.def)"));
  CHECK_THAT(auto_answer(with({{"TPU_WORKER_HOSTNAMES", ""}, {"TPU_WORKER_ID", ""}})), Catch::EndsWith("} 2"));
  // Two containers a pod differ by their ports.
  CHECK(auto_answer(with({{"LWS_GROUP_SIZE", "2"},
                          {"LWS_WORKER_INDEX", "1"},
                          {"HOSTNAME", "s-0-1"},
                          {"TPU_WORKER_ID", "3"},
                          {"TPU_WORKER_HOSTNAMES", "s-0.s,s-0.s,s-0-1.s,s-0-1.s"},
                          {"TPU_PROCESS_ADDRESSES", "s-0.s:8476,s-0.s:8477,s-0-1.s:8476,s-0-1.s:8477"}})) ==
        R"({"worker":["s-0.s:8476","s-0.s:8477","s-0-1.s:8476","s-0-1.s:8477"]} 3)");
}

TEST_CASE("auto: the only host of a list needs no id") {
  CHECK(auto_answer({{"TPU_WORKER_HOSTNAMES", "localhost"}}) == R"({"worker":["localhost:8470"]} 0)");
  CHECK(auto_answer({{"TPU_WORKER_HOSTNAMES", "w-0.s"}, {"HOSTNAME", "w-0"}}) == R"({"worker":["w-0.s:8470"]} 0)");
  CHECK(auto_answer({{"TPU_PROCESS_ADDRESSES", "local"}}) == R"({"worker":["localhost:8470"]} 0)");
  CHECK(answer_on(vm("10.0.0.9", attribute("worker-network-endpoints", "a:b:10.0.0.9"))) == R"({"worker":["10.0.0.9:8470"]} 0)");
  CHECK_THAT(answer_on(vm("10.0.0.9", attribute("worker-network-endpoints", "a:b:10.0.0.8"))),
             Catch::Contains("this worker's id is not known"));
  CHECK_THAT(auto_answer({{"TPU_WORKER_HOSTNAMES", "localhost"}, {"TPU_WORKER_ID", "1"}}), Catch::Contains("has 1 host"));
}

TEST_CASE("auto: processes of a TPU VM that was shared out by hand have CLOUD_TPU_TASK_ID") {
  AutoVariables process = {{"CLOUD_TPU_TASK_ID", "2"}, {"TPU_PROCESS_ADDRESSES", "localhost:8476,localhost:8477,localhost:8478"}};
  CHECK_THAT(auto_answer(process), Catch::EndsWith("} 2"));
  process["CLOUD_TPU_TASK_ID"] = "3";
  CHECK_THAT(auto_answer(process), Catch::Contains("CLOUD_TPU_TASK_ID is 3, but TPU_PROCESS_ADDRESSES has 3 hosts"));
  process["TPU_WORKER_ID"] = "1";
  CHECK_THAT(auto_answer(process), Catch::EndsWith("} 1"));
}

TEST_CASE("auto: a process with some of a machine's chips has bounds of its own") {
  // As Ray gives them; type and topology stay the machine's.
  const AutoVariables two = {{"TPU_VISIBLE_CHIPS", "2,3"}, {"TPU_CHIPS_PER_HOST_BOUNDS", "1,2,1"}, {"TPU_HOST_BOUNDS", "1,1,1"}};
  const AutoChoice own = choice_in(pod_of("v4-8", "localhost", two));
  CHECK(own.contradictions.empty());
  REQUIRE(own.tpu.type);
  CHECK(own.tpu.type->chips() == 2);
  AutoVariables three = two;
  three["TPU_VISIBLE_CHIPS"] = "1,2,3";
  CHECK(choice_in(pod_of("v4-8", "localhost", three)).contradictions.size() == 1);
  CHECK(choice_in(pod_of("v4-8", "localhost", {{"TPU_HOST_BOUNDS", "1,1,1"}, {"TPU_CHIPS_PER_HOST_BOUNDS", "1,2,1"}}))
            .contradictions.size() == 1);
}

TEST_CASE("auto: lists and slices that do not fit each other are told") {
  const auto disputes = [](const AutoVariables& more) { return choice_in(pod_of("v5litepod-8", "a,b", more)).contradictions; };
  CHECK(disputes({}).empty());
  CHECK(disputes({{"TPU_PROCESS_ADDRESSES", "a:1,b:1"}}).empty());
  CHECK(disputes({{"TPU_PROCESS_ADDRESSES", "a:1,a:2,b:1,b:2"}}).front() ==
        "TPU_PROCESS_ADDRESSES lists 4 processes, which JAX takes, but TPU_WORKER_HOSTNAMES lists 2 hosts, which are taken here");
  CHECK(disputes({{"MEGASCALE_SLICE_ID", "0"}}).front() ==
        "MEGASCALE_SLICE_ID is set, but MEGASCALE_NUM_SLICES is not: this slice is taken for the only one");
  CHECK(disputes({{"MEGASCALE_COORDINATOR_ADDRESS", "a"}}).size() == 1);
  CHECK(disputes({{"TPU_VISIBLE_CHIPS", "0,1"}}).front() ==
        "TPU_VISIBLE_CHIPS is '0,1', 2 of the 4 chips of this machine, which are all counted");
  CHECK(disputes({{"TPU_VISIBLE_CHIPS", "0,1,2,3"}}).empty());
  CHECK(disputes({{"TPU_VISIBLE_CHIPS", "2"}, {"TPU_PROCESS_ADDRESSES", "a:1,a:2,b:1,b:2"}}).size() == 2);
  AutoVariables second = pod_of("v5litepod-8", "a,b", {{"MEGASCALE_SLICE_ID", "1"}});
  second["TPU_WORKER_ID"] = "0";
  CHECK_THAT(auto_answer(second),
             Catch::StartsWith("failed_precondition: auto: MEGASCALE_SLICE_ID is 1, so that this slice is one of several"));
}

TEST_CASE("auto: takes worker-id only beside an address or a name of this machine") {
  const std::string hosts = attribute("worker-network-endpoints", "a:b:10.0.0.11,a:b:10.0.0.12");
  CHECK_THAT(answer_on(vm("10.0.0.12", hosts + attribute("worker-id", "1"))), Catch::EndsWith("} 1"));
  CHECK_THAT(answer_on(vm("10.0.0.12", hosts + attribute("worker-id", "0"))), Catch::StartsWith("conflict: auto: worker-id says 0, but"));
  CHECK_THAT(answer_on(vm("10.0.0.13", hosts + attribute("worker-id", "1"))), Catch::Contains("this worker's id is not known"));
  CHECK_THAT(answer_on(vm("10.0.0.12", hosts + attribute("worker-id", "blue"))), Catch::Contains("worker-id is 'blue', no worker id"));
  CHECK_THAT(answer_on(vm("10.0.0.12", hosts)), Catch::Contains("this worker's id is not known"));
  // Where another source says the id, worker-id is what its author made of it.
  CHECK_THAT(answer_on(vm("10.0.0.12", hosts + attribute("worker-id", "7") + attribute("agent-worker-number", "1"))),
             Catch::EndsWith("} 1"));
}

TEST_CASE("auto: given bounds and topologies come before the table") {
  CHECK(shape_in(pod_of("v5litepod-8", "a,b")) == "v5litepod-8 2x4 2,2,1 1,2,1");
  CHECK(shape_in(pod_of("v5litepod-8", "localhost")) == "v5litepod-8 2x4 2,4,1 1,1,1");
  CHECK(shape_in(pod_of("v6e-16", "a,b", {{"CHIPS_PER_HOST_BOUNDS", "2,4,1"}})) == "v6e-16 4x4 2,4,1 2,1,1");
  CHECK(shape_in(pod_of("v4-32", "a,b,c,d", {{"TPU_HOST_BOUNDS", "1,2,2"}})) == "v4-32 2x4x2 2,2,1 1,2,2");
  CHECK(shape_in(pod_of("v4-32", "a,b,c,d", {{"TPU_TOPOLOGY", "4x2x2"}})) == "v4-32 4x2x2 2,2,1 2,1,2");
  CHECK(shape_in(pod_of("v4-4x4x8", "a")) == "v4-256 has 32 hosts, not 1, as TPU_WORKER_HOSTNAMES lists them");
  CHECK(shape_in(pod_of("v4-32", "a,b,c,d", {{"TPU_TOPOLOGY", "4x4x4"}})) ==
        "the accelerator type is v4-32, but 4x4x4, the shape of the slice, is v4-128");
  CHECK(shape_in(pod_of("v4-32", "a,b,c,d", {{"TPU_HOST_BOUNDS", "2,2,2"}})) == "v4-32 has 4 hosts, not 8, as the bounds 2,2,2 say");
  CHECK(shape_in(pod_of("v4-32", "a,b,c,d", {{"TPU_TOPOLOGY", "2x2x4"}, {"TPU_HOST_BOUNDS", "2,2,1"}})) ==
        "the topology is 2x2x4, but hosts in the bounds 2,2,1 with the chips 2,2,1 make 4x4x1");
  CHECK(shape_in(pod_of("v5litepod-8", "a,b", {{"TPU_CHIPS_PER_HOST_BOUNDS", "2,4,1"}})) ==
        "v5litepod-8 has 8 chips, but TPU_WORKER_HOSTNAMES lists 2, with the chips 2,4,1 each");
  for (const char* bad : {"2,2", "x", "2x2x1", "0,1,1", "-1,1,1", "4097,1,1", "1,1,1,1"})
    CHECK_THAT(shape_in(pod_of("v4-8", "a", {{"TPU_HOST_BOUNDS", bad}})),
               Catch::Contains("v4-8") || Catch::EndsWith("is no bounds such as 2,2,1"));
  const std::string by_parts =
      vm("10.0.0.9", attribute("worker-network-endpoints", "a:b:10.0.0.9") + attribute("tpu-env", "TYPE: 'V6E'\\nTOPOLOGY: '2x2'"));
  CHECK(shape_in({}, by_parts) == "v6e-4 2x2 2,2,1 1,1,1");
  CHECK(shape_in(pod_of("tpu9x-8", "a")) == "unknown TPU generation in accelerator type 'tpu9x-8'");
  CHECK(shape_in({{"TPU_WORKER_HOSTNAMES", "a"}}) == "nothing says the accelerator type");
  // Several workers of a host: bounds count workers, and a host has the chips of all.
  CHECK(shape_in(
            pod_of("tpu7x-16", "",
                   {{"TPU_PROCESS_ADDRESSES", "a:1,a:2,b:1,b:2"}, {"TPU_HOST_BOUNDS", "2,1,2"}, {"TPU_CHIPS_PER_HOST_BOUNDS", "1,2,1"}})) ==
        "tpu7x-16 2x2x2 2,2,1 1,1,2");
}

TEST_CASE("auto: a size that the table lacks has the shape that the service gives") {
  std::string hosts = "h0";
  for (int i = 1; i < 2240; ++i) hosts += fmt::format(",h{}", i);
  CHECK(shape_in(pod_of("v5p-17920", hosts, {{"TPU_TOPOLOGY", "16x20x28"}})) == "v5p-17920 16x20x28 2,2,1 8,10,28");
  CHECK(shape_in(pod_of("v5p-17920", hosts, {{"TPU_HOST_BOUNDS", "8,10,28"}, {"TPU_CHIPS_PER_HOST_BOUNDS", "2,2,1"}})) ==
        "v5p-17920 16x20x28 2,2,1 8,10,28");
  CHECK_THAT(shape_in(pod_of("v5p-17920", hosts, {{"TPU_TOPOLOGY", "16x20x20"}})),
             Catch::StartsWith("the accelerator type is v5p-17920, but"));
}

TEST_CASE("auto: knows the type where it does not know the worker") {
  AutoVariables pod = pod_of("v6e-8", "a,b");
  pod.erase("TPU_WORKER_ID");
  CHECK(shape_in(pod) == "v6e-8 2x4 2,2,1 1,2,1");
  AutoWorld world(pod_of("v6e-8", "a,b"));
  CHECK(world.run(world.resolver()->try_num_accelerators()).value().to_json() == R"({"TPU":4})");
  AutoWorld odd(pod_of("v5litepod-16", "a,b,c"));
  const auto counts = odd.run(odd.resolver()->try_num_accelerators());
  REQUIRE_FALSE(counts);
  CHECK(counts.error().code() == Errc::failed_precondition);
}
