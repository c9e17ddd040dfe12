// Accelerators and names of the machines of an instance group.
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/gce/gce_support.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/tpu_call.hpp"
#include "support/cloud_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

class HardwareCloud : public CloudLoop {
 public:
  explicit HardwareCloud(const std::string& instances)
      : CloudLoop(R"({"project": "p", "zone": "z-a", "compute": {"instances": [)" + instances + R"(], "groups": [{"name": "workers"}]}})") {
  }
  std::shared_ptr<ClusterResolver> group(GceLookup lookup = GceLookup::get) {
    return make_gce_resolver(runtime, GceOptions("workers").project("p").zone("z-a").port(8470).lookup(lookup));
  }
  ClusterStatus status(GceLookup lookup = GceLookup::get) { return value_of(run(group(lookup)->try_cluster_status())); }
  Result<AcceleratorCounts> counts(std::optional<int> index = {}, CountFrom from = CountFrom::automatic) {
    return run(group()->try_num_accelerators("worker", index, CallOptions().with(TpuCallOptions().count_from(from))));
  }
};

Instance machine(std::string machine_type, std::vector<std::pair<std::string, int>> guests = {}) {
  Instance instance;
  instance.machine_type = std::move(machine_type);
  for (auto& [type, count] : guests) {
    GuestAccelerators& guest = instance.guests.emplace_back();
    guest.type = std::move(type);
    guest.count = count;
  }
  return instance;
}

std::string accelerators_in_words(const Instance& instance) {
  const std::optional<Accelerators> those = gce_accelerators(instance);
  if (!those) return "not known";
  CHECK(those->is_shared);
  return fmt::format("{} {}{}{}", those->count, those->kind, those->model.empty() ? "" : " ", those->model);
}

std::string source_of(const Instance& instance) { return gce_accelerators(instance).value_or(Accelerators()).source; }

}  // namespace

TEST_CASE("accelerators that an instance lists") {
  const auto listed = [](std::string type, int count) {
    return accelerators_in_words(machine("a-new-machine", {{std::move(type), count}}));
  };
  CHECK(listed("nvidia-tesla-t4", 2) == "2 GPU T4");
  CHECK(listed("nvidia-tesla-p100-vws", 1) == "1 GPU P100");
  CHECK(listed("nvidia-tesla-a100", 8) == "8 GPU A100");
  CHECK(listed("nvidia-a100-80gb", 4) == "4 GPU A100");
  CHECK(listed("nvidia-h100-mega-80gb", 8) == "8 GPU H100");
  CHECK(listed("nvidia-h200-141gb", 8) == "8 GPU H200");
  CHECK(listed("nvidia-gb200", 4) == "4 GPU GB200");
  CHECK(listed("nvidia-rtx-pro-6000-vws", 1) == "1 GPU RTX PRO 6000");
  CHECK(listed("nvidia-next", 3) == "3 GPU next");
  CHECK(listed("ct6e", 8) == "8 TPU v6e");
  CHECK(listed("tpu-v6e-slice", 4) == "4 TPU v6e");
  CHECK(listed("tpu-v5-lite-podslice", 4) == "4 TPU v5litepod");
  CHECK(listed("tpu7x", 4) == "8 TPU tpu7x");
  CHECK(listed("ct9x", 4) == "not known");
  CHECK(listed("tpu-v9", 4) == "not known");
  CHECK(listed("another-chip", 4) == "not known");
  CHECK(listed("nvidia-", 4) == "not known");
  CHECK(listed("", 4) == "not known");
  CHECK(listed("nvidia-l4", 0) == "not known");
  CHECK(listed("nvidia-l4", 2'000'000'000) == "not known");
  CHECK(source_of(machine("n1-standard-8", {{"nvidia-tesla-t4", 1}})) == "guestAccelerators");
}

TEST_CASE("several types of accelerators count together only if all are GPUs") {
  CHECK(accelerators_in_words(machine("n1-standard-8", {{"nvidia-tesla-t4", 1}, {"nvidia-tesla-p4", 2}})) == "3 GPU");
  CHECK(accelerators_in_words(machine("n1-standard-8", {{"nvidia-tesla-t4", 1}, {"nvidia-tesla-t4-vws", 2}})) == "3 GPU T4");
  CHECK(accelerators_in_words(machine("n1-standard-8", {{"nvidia-tesla-t4", 1}, {"another-chip", 1}})) == "not known");
  CHECK(accelerators_in_words(machine("new-standard-8", {{"nvidia-l4", 1}, {"ct6e", 1}})) == "not known");
  CHECK(accelerators_in_words(machine("ct6e-standard-4t", {{"ct6e", 2}, {"ct6e", 2}})) == "not known");
}

TEST_CASE("accelerators by the machine type") {
  const auto by_type = [](std::string type) { return accelerators_in_words(machine(std::move(type))); };
  CHECK(by_type("a2-highgpu-1g") == "1 GPU A100");
  CHECK(by_type("a2-megagpu-16g") == "16 GPU A100");
  CHECK(by_type("a2-ultragpu-2g") == "2 GPU A100");
  CHECK(by_type("a3-highgpu-8g") == "8 GPU H100");
  CHECK(by_type("a3-edgegpu-8g-nolssd") == "8 GPU H100");
  CHECK(by_type("a3-megagpu-8g") == "8 GPU H100");
  CHECK(by_type("a3-ultragpu-8g") == "8 GPU H200");
  CHECK(by_type("a4-highgpu-8g-lowmem") == "8 GPU B200");
  CHECK(by_type("a4x-highgpu-4g") == "4 GPU GB200");
  CHECK(by_type("a4x-maxgpu-4g-metal") == "4 GPU GB300");
  for (const char* const size : {"4", "8", "12", "16", "32"}) CHECK(by_type(std::string("g2-standard-") + size) == "1 GPU L4");
  CHECK(by_type("g2-standard-24") == "2 GPU L4");
  CHECK(by_type("g2-standard-48") == "4 GPU L4");
  CHECK(by_type("g2-standard-96") == "8 GPU L4");
  CHECK(by_type("g4-standard-384") == "8 GPU RTX PRO 6000");
  CHECK(by_type("g4-standard-48") == "1 GPU RTX PRO 6000");
  CHECK(by_type("ct4p-hightpu-4t") == "4 TPU v4");
  CHECK(by_type("ct5lp-hightpu-1t") == "1 TPU v5litepod");
  CHECK(by_type("ct5lp-hightpu-8t") == "8 TPU v5litepod");
  CHECK(by_type("ct5p-hightpu-4t-tpu") == "4 TPU v5p");
  CHECK(by_type("ct6e-standard-8t") == "8 TPU v6e");
  CHECK(by_type("tpu7x-standard-4t") == "8 TPU tpu7x");  // a chip is two devices, as for tpu: and kubernetes: targets
  CHECK(by_type("ct3-hightpu-4t") == "8 TPU v3");
  CHECK(source_of(machine("a3-highgpu-8g")) == "machine type a3-highgpu-8g");
}

TEST_CASE("a machine without accelerators is one of a family that has none, without a list of them") {
  for (const char* const type : {"n2-standard-8", "e2-medium", "e2-custom-4-8192", "c3-standard-176-metal", "n1-highmem-2", "custom-2-4096",
                                 "f1-micro", "h4d-standard-192", "m1-ultramem-40", "t2a-standard-1"}) {
    CHECK(accelerators_in_words(machine(type)) == "0 GPU");
    CHECK(source_of(machine(type)) == fmt::format("machine type {}", type));
  }
  CHECK(accelerators_in_words(machine("n1-highmem-2", {{"nvidia-tesla-v100", 8}})) == "8 GPU V100");
  for (const char* const type : {"",
                                 "n2",
                                 "n9-standard-8",
                                 "N2-standard-8",
                                 "a5-highgpu-8g",
                                 "a3-highgpu",
                                 "a3-highgpu-8",
                                 "a3-highgpu-g",
                                 "a3-highgpu--8g",
                                 "a3-highgpu-0g",
                                 "a3-highgpu-+8g",
                                 "a3-highgpu-99999999999g",
                                 "a3-standard-8g",
                                 "g2-custom-8",
                                 "g2-standard-5",
                                 "g2-standard-48-new",
                                 "g4-standard-12",
                                 "ct6e-standard-8",
                                 "ct6e",
                                 "ct7-hightpu-4t",
                                 "tpu7x-standard-t",
                                 "-",
                                 "--",
                                 "---"}) {
    CAPTURE(type);
    CHECK(accelerators_in_words(machine(type)) == "not known");
  }
}

TEST_CASE("what an instance lists counts before its machine type, and both are named where they differ") {
  CHECK(source_of(machine("a3-highgpu-8g", {{"nvidia-h100-80gb", 8}})) == "guestAccelerators");
  const Instance fewer = machine("a3-highgpu-8g", {{"nvidia-h100-80gb", 4}});
  CHECK(accelerators_in_words(fewer) == "4 GPU H100");
  CHECK(source_of(fewer) == "guestAccelerators; by the machine type a3-highgpu-8g it is 8");
  CHECK(accelerators_in_words(machine("a3-highgpu-8g", {{"another-chip", 8}})) == "not known");
  CHECK(accelerators_in_words(machine("ct6e-standard-8t", {{"nvidia-l4", 8}})) == "not known");
  CHECK(accelerators_in_words(machine("ct6e-standard-8t-tpu", {{"tpu-v6e", 8}})) == "8 TPU v6e");
  CHECK(accelerators_in_words(machine("tpu7x-standard-4t", {{"tpu-new", 4}})) == "8 TPU tpu7x");
}

TEST_CASE("a status has the names of the machines and their accelerators, by the requests that it makes anyway") {
  for (const GceLookup lookup : {GceLookup::get, GceLookup::list}) {
    HardwareCloud t(R"({"name": "w-0", "ip": "10.0.0.9", "machine_type": "a3-highgpu-8g", "guest_accelerators": {"nvidia-h100-80gb": 8}},
                       {"name": "w-1", "ip": "10.0.0.10", "machine_type": "a-new-machine"},
                       {"name": "w-2", "status": "STAGING", "machine_type": "a3-highgpu-8g"},
                       {"name": "w-3", "ip": "10.0.0.1", "machine_type": "n1-standard-8", "guest_accelerators": {"nvidia-tesla-t4": 2}})");
    const ClusterStatus status = t.status(lookup);
    REQUIRE(status.members.size() == 4);
    std::vector<std::string> members;
    for (const Member& member : status.members) {
      const std::string number = member.accelerators ? std::to_string(member.accelerators->count) : "?";
      members.push_back(fmt::format("{} {} {} {}", member.host, member.name, member.address, number));
    }
    CHECK(members ==
          std::vector<std::string>({"w-1 w-1 10.0.0.10:8470 ?", "w-3 w-3 10.0.0.1:8470 2", "w-0 w-0 10.0.0.9:8470 8", "w-2 w-2  ?"}));
    CHECK(t.http->calls() == (lookup == GceLookup::get ? 4U : 2U));
  }
}

TEST_CASE("only a status asks for the machines' hardware") {
  for (const GceLookup lookup : {GceLookup::get, GceLookup::list}) {
    TestRuntime t;
    t.transport->respond = three();
    const auto gce = make_gce_resolver(t.runtime, workers().lookup(lookup));
    CHECK(t.run(gce->try_cluster_spec()).has_value());
    CHECK(t.transport->requests.back().url.target.find("guestAccelerators") == std::string::npos);
    CHECK(t.run(gce->try_cluster_status()).has_value());
    CHECK_THAT(query_of(t.transport->requests.back(), "fields"), Contains(",machineType,guestAccelerators"));
  }
}

TEST_CASE("a list of hosts has the machines' accelerators, and is refused where those of some are not known") {
  HardwareCloud t(R"({"name": "w-{i}", "count": 2, "ip": "10.0.0.2", "machine_type": "a4-highgpu-8g"},
                     {"name": "x", "ip": "10.0.0.4", "machine_type": "a-new-machine"})");
  const ClusterStatus status = t.status();
  LaunchFacts facts(status.spec());
  facts.members = status.members;
  check_failure(render_hosts(HostsForm::deepspeed, facts), Errc::failed_precondition, "10.0.0.2 has 8 accelerators",
                "how many 10.0.0.4 has is not known");
  CHECK(value_of(render_hosts(HostsForm::lines, facts)) == "10.0.0.2\n10.0.0.3\n10.0.0.4\n");
  CHECK_THAT(unknown_accelerators(facts), Contains("how many accelerators 10.0.0.4 has is not known"));
}

TEST_CASE("num_accelerators() follows the machines where all are alike") {
  HardwareCloud t(R"({"name": "w-{i}", "count": 3, "machine_type": "a3-megagpu-8g"}, {"name": "late", "status": "PROVISIONING"})");
  CHECK(value_of(t.counts()).to_text() == "{'GPU': 8}");
  CHECK(value_of(t.counts(2)).to_text() == "{'GPU': 8}");
  HardwareCloud plain(R"({"name": "w-0"})");
  CHECK(value_of(plain.counts()).to_text() == "{}");
}

TEST_CASE("num_accelerators() of machines that differ names them, and counts one that is asked for") {
  HardwareCloud t(
      R"({"name": "w-0", "ip": "10.0.0.1", "machine_type": "g2-standard-96"}, {"name": "w-1", "ip": "10.0.0.2", "machine_type": "g2-standard-96"},
                     {"name": "w-2", "ip": "10.0.0.3", "machine_type": "g2-standard-8"}, {"name": "w-3", "ip": "10.0.0.4"})");
  check_failure(t.counts(), Errc::failed_precondition,
                "worker 0 (10.0.0.1:8470) and 1 more: 8 GPU; worker 2 (10.0.0.3:8470): 1 GPU; worker 3 (10.0.0.4:8470): none");
  CHECK(value_of(t.counts(2)).to_text() == "{'GPU': 1}");
  CHECK(value_of(t.counts(3)).to_text() == "{}");
  check_failure(t.counts(4), Errc::not_found, "4");
}

TEST_CASE("num_accelerators() asks the devices of the master, as upstream, where a machine is not known or the caller wants it") {
  HardwareCloud t(R"({"name": "w-0", "machine_type": "a3-megagpu-8g"}, {"name": "w-1", "machine_type": "a-new-machine"})");
  CHECK(value_of(t.counts(0)).to_text() == "{'GPU': 8}");
  CHECK(t.rpc->calls() == 0);
  CHECK_FALSE(t.counts().has_value());  // no runtime listens there
  CHECK_FALSE(t.counts(1).has_value());
  CHECK_FALSE(t.counts(0, CountFrom::devices).has_value());
  CHECK(t.rpc->calls() > 0);
}
