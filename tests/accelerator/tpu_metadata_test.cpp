#include "rollcall/tpu_metadata.hpp"
#include "support/result.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

DeviceAttributes device(const std::string& task, const std::string& type, int id, const std::string& job = "worker") {
  return DeviceAttributes("/job:" + job + "/replica:0/task:" + task + "/device:" + type + ":" + std::to_string(id), type);
}

}  // namespace

TEST_CASE("TPU cores by host: counted and ignored names") {
  TpuDeviceMap map;
  for (const char* name : {"/job:w/task:0/device:TPU:0", "/job:w/replica:0/task:0/device:TPU:0", "/job:ps/task:0/device:TPU:7",
                           "task:1/device:TPU:3", "/job:w/task:1/task:2/device:TPU:0", "/job:w/task:x/task:/device:TPU:1"})
    map.add(name);
  CHECK(map.hosts() == std::map<std::string, std::vector<std::string>, std::less<>>{{"0", {"0", "0", "7"}}, {"1", {"3"}}, {"2", {"0"}}});
  CHECK(map.total_cores() == 5);
  TpuDeviceMap none;
  for (const char* name :
       {"", "/device:TPU:0", "/job:w/task:0/device:CPU:0", "/job:w/task:0/device:TPU_SYSTEM:0", "/job:w/task:0/device:XLA_TPU:0",
        "/job:w/task:0/device:tpu:0", "/job:w/task:0/device:TPU:", "/job:w/task:0/device:TPU:0 ", "/job:w/task:0device:TPU:0"})
    none.add(name);
  CHECK(none.hosts().empty());
  CHECK(none.cores_per_host().error().code() == Errc::failed_precondition);  // as upstream's count of an empty map
}

TEST_CASE("hosts of different sizes are named") {
  const TpuDeviceMap map = TpuDeviceMap::of_devices({device("0", "TPU", 0), device("1", "TPU", 0), device("1", "TPU", 1)});
  const Result<int> cores = map.cores_per_host();
  testing::check_failure(cores, Errc::failed_precondition, "task 0 has 1", "task 1 has 2");
}

TEST_CASE("accelerators are counted without CPUs, and of exactly one task when both its parts are given") {
  const std::vector<DeviceAttributes> devices = {device("1", "GPU", 0),
                                                 device("1", "CPU", 0),
                                                 device("1", "XLA_CPU", 0),
                                                 device("10", "GPU", 0),
                                                 device("1", "GPU", 0, "worker2"),
                                                 DeviceAttributes("no name", "GPU")};
  CHECK(count_accelerators(devices).at("GPU") == 4);
  CHECK(count_accelerators(devices).counts().size() == 1);
  CHECK(count_accelerators(devices, "worker", 1).at("GPU") == 1);
  CHECK(count_accelerators(devices, "worker", std::nullopt).at("GPU") == 4);
  CHECK(count_accelerators(devices, "nobody", 1).counts().empty());
  CHECK(count_accelerators(devices).source() == CountSource::devices);
}

TEST_CASE("a TPU's metadata: devices in order, numbers of cores and hosts") {
  const TpuSystemMetadata metadata = TpuSystemMetadata::of_devices({device("1", "TPU", 1), device("1", "TPU", 0), device("0", "TPU", 10),
                                                                    device("0", "TPU", 2), device("0", "CPU", 0)})
                                         .value();
  CHECK(metadata.num_cores == 4);
  CHECK(metadata.num_hosts == 2);
  CHECK(metadata.num_of_cores_per_host == 2);
  CHECK(!metadata.topology);
  std::string order;
  for (const DeviceAttributes& d : metadata.devices) order += d.name.substr(d.name.find("task")) + " ";
  CHECK(order == "task:0/device:CPU:0 task:0/device:TPU:2 task:0/device:TPU:10 task:1/device:TPU:0 task:1/device:TPU:1 ");
  const TpuSystemMetadata typed = TpuSystemMetadata::of_type(AcceleratorType::parse("v4-32").value());
  CHECK(typed.num_hosts == 4);
  CHECK(typed.num_cores == 16);
  CHECK(typed.source == CountSource::accelerator_type);
  CHECK(typed.topology->to_text() == "2x2x4");
}
