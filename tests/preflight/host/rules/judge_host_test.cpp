// The rules about one host.
#include "preflight/host/rules/judge_host.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>

using namespace rollcall;

namespace {

NvmlDevice healthy_gpu(int index) {
  NvmlDevice gpu;
  gpu.index = index;
  gpu.uuid = "GPU-" + std::to_string(index);
  gpu.bus = "0000:1" + std::to_string(index) + ":00.0";
  gpu.name = "NVIDIA H100";
  gpu.values = {{"persistence", 1},       {"ecc_mode", 1}, {"ecc_mode_pending", 1}, {"pcie_width", 16},  {"pcie_width_max", 16},
                {"memory_used", 4 << 20}, {"nvlinks", 18}, {"nvlinks_active", 18},  {"compute_mode", 0}, {"clocks_event_reasons", 1},
                {"rows_failed", 0}};
  return gpu;
}

HostLook look_with(std::vector<NvmlDevice> gpus) {
  HostLook look;
  look.host = "n17";
  look.clock.emplace().is_synchronised = true;
  look.memory = std::uint64_t{2000} << 30;
  look.shm = std::uint64_t{64} << 30;
  look.processors.allowed = 8;
  look.interface.emplace().name = "eth0";
  look.interface->state = "up";
  look.has_devices = true;
  NvmlReport report;
  report.driver = "580.159.04";
  report.count = gpus.size();
  report.devices = std::move(gpus);
  look.nvml = NvmlOutcome(std::move(report));
  LocalDeviceGroup& group = look.devices.groups.emplace_back();
  group.kind = "GPU";
  group.vendor = "NVIDIA";
  group.model = "NVIDIA H100";
  group.driver = "580.159.04";
  group.count = static_cast<int>(look.nvml.report.count);
  return look;
}

HostReport judged(const HostLook& look, std::vector<std::string> words = {}) { return judge_host(look, HostChecks::parse(words).value()); }

HostLook with_value(const char* name, std::uint64_t value) {
  HostLook look = look_with({healthy_gpu(0), healthy_gpu(1)});
  look.nvml.report.devices[1].values[name] = value;
  return look;
}

}  // namespace

TEST_CASE("a healthy host passes") {
  const HostReport report = judged(look_with({healthy_gpu(0), healthy_gpu(1)}));
  CHECK(report.findings.empty());
  CHECK(report.unknown.empty());
  CHECK(report.verdict().passed);
  CHECK(report.fact("driver")->value == "580.159.04");
  CHECK(report.fact("accelerators")->value == "2");
  CHECK(report.fact("ecc")->value == "on");
  CHECK(report.fact("nvlinks")->value == "18 of 18");
}

TEST_CASE("faults of a GPU name it") {
  struct Row {
    const char* value;
    std::uint64_t number;
    FindingAction action;
    const char* text;
  };
  const Row rows[] = {
      {"rows_failed", 1, FindingAction::replace, "the remapping of a row of its memory has failed"},
      {"rows_pending", 1, FindingAction::reset_device, "remapped at the next reset"},
      {"pages_pending", 1, FindingAction::reset_device, "retired at the next reset"},
      {"ecc_volatile_uncorrected", 3, FindingAction::reset_device, "3 uncorrectable memory errors"},
      {"recovery_action", 1, FindingAction::reset_device, "asks for a reset"},
      {"recovery_action", 2, FindingAction::reboot, "asks for a restart of the machine"},
      {"recovery_action", 77, FindingAction::reset_device, "recovery action 77"},
      {"clocks_event_reasons", 0x48, FindingAction::replace, "slowed down by the hardware: it is too hot"},
      {"clocks_event_reasons", 0x80, FindingAction::replace, "the power brake is on"},
      {"clocks_event_reasons", 0x08, FindingAction::replace, "slowed down by the hardware"},
      {"pcie_width", 8, FindingAction::replace, "8 lanes, and can have 16"},
      {"compute_mode", 2, FindingAction::none, "prohibited"},
      {"nvlinks_active", 17, FindingAction::reset_device, "17 of its NVLinks are active, and 18 of others"},
      {"fabric_state", 2, FindingAction::none, "NVLink's fabric is not ready"},
      {"fabric_health", 2, FindingAction::reset_device, "not healthy"},
      {"memory_used", std::uint64_t{40} << 30, FindingAction::none, "40 GiB of its memory are in use"},
  };
  for (const Row& row : rows) {
    INFO(row.value << " " << row.number);
    const HostReport report = judged(with_value(row.value, row.number));
    REQUIRE(report.findings.size() == 1);
    const Finding& finding = report.findings[0];
    CHECK(finding.severity == FindingSeverity::failure);
    CHECK(finding.scope == FindingScope::device);
    CHECK(finding.device == "gpu 1 (GPU-1, 0000:11:00.0)");
    CHECK(finding.action == row.action);
    CHECK(finding.text.find(row.text) != std::string::npos);
    CHECK_FALSE(report.verdict().passed);
    const Finding named = report.findings_of(FindingMember("worker", 3, "n17"))[0];
    CHECK(named.text.starts_with("worker 3 (n17) gpu 1 (GPU-1, 0000:11:00.0): "));
    CHECK(judged(with_value(row.value, row.number), {"-gpu", "-in_use"}).findings.empty());
  }
}

TEST_CASE("what is only to be looked at") {
  for (const auto& [value, number] :
       {std::pair("persistence", 0ULL), {"clocks_event_reasons", 0x20ULL}, {"ecc_mode_pending", 0ULL}, {"fabric_health", 3ULL}}) {
    const HostReport report = judged(with_value(value, number));
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].severity == FindingSeverity::warning);
    CHECK(report.verdict().passed);
  }
  for (const auto& [value, number] :
       {std::pair("clocks_event_reasons", 0x17ULL), {"ecc_aggregate_uncorrected", 9ULL}, {"rows_remapped_uncorrectable", 1ULL}})
    CHECK(judged(with_value(value, number)).findings.empty());
}

TEST_CASE("codes of the library for a GPU") {
  for (const int code : {8, 10, 11, 14, 15, 16, 999}) {
    HostLook look = look_with({healthy_gpu(0), healthy_gpu(1)});
    look.nvml.report.devices[1] = NvmlDevice();
    look.nvml.report.devices[1].index = 1;
    look.nvml.report.devices[1].result = code;
    const HostReport report = judged(look);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].severity == FindingSeverity::failure);
    CHECK(report.findings[0].device == "gpu 1");
  }
  HostLook look = look_with({healthy_gpu(0), healthy_gpu(1)});
  look.nvml.report.devices[1].result = 4;
  CHECK(judged(look).findings.empty());
  look.nvml.report.devices[1].result = 25;
  CHECK(judged(look).findings.empty());
  CHECK(judged(look).unknown.size() == 1);
}

TEST_CASE("a driver that hangs or crashes is a failure, one that is not there is none") {
  using End = NvmlOutcome::End;
  for (const End end : {End::silent, End::died}) {
    HostLook look = look_with({});
    look.devices.groups.clear();
    look.nvml = NvmlOutcome(end, "NVIDIA's driver does not answer");
    const HostReport report = judged(look);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].action == FindingAction::reboot);
  }
  HostLook look = look_with({});
  look.devices.groups.clear();
  look.nvml = NvmlOutcome();
  CHECK(judged(look).verdict().passed);
  CHECK(judged(look).fact("accelerators")->value == "0");
  NvmlReport report;
  report.step = "dlopen";
  look.nvml = NvmlOutcome(report);
  CHECK(judged(look).unknown.empty());
  look.machine.nvidia_nodes = {0};
  CHECK(judged(look).unknown.size() == 1);
  CHECK_FALSE(judged(look).verdict().passed);
  CHECK(judged(look, {"-gpu"}).verdict().passed);
  report.step = "nvmlInit_v2";
  report.result = 18;
  look.nvml = NvmlOutcome(report);
  CHECK(judged(look).findings.at(0).text.find("different versions") != std::string::npos);
}

TEST_CASE("a device that PCI has and its driver does not list") {
  HostLook look = look_with({healthy_gpu(0), healthy_gpu(1)});
  for (const char* const bus : {"0000:10:00.0", "0000:11:00.0", "0000:12:00.0"}) {
    PciFunction& function = look.machine.pci.emplace_back();
    function.bus = bus;
    function.vendor = 0x10de;
    function.device_class = 0x030200;
  }
  const HostReport report = judged(look);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].device == "NVIDIA GPU at 0000:12:00.0");
  look.nvml = NvmlOutcome();
  CHECK(judged(look).findings.empty());
  CHECK(judged(look).unknown.size() == 1);
}

TEST_CASE("sizes, limits and ports that were asked for") {
  const HostLook look = [] {
    HostLook made = look_with({healthy_gpu(0), healthy_gpu(1)});
    made.shm = 64 << 20;
    made.open_files.emplace().soft = 1024;
    made.open_files->hard = 1048576;
    made.locked_memory.emplace().soft = 8 << 20;
    made.locked_memory->hard = 8 << 20;
    PortLook& taken = made.ports.emplace_back();
    taken.port = 29500;
    taken.error = EADDRINUSE;
    taken.holder = "process 12 (python3)";
    return made;
  }();
  CHECK(judged(look, {"shm"}).findings.back().severity == FindingSeverity::warning);
  const HostReport report = judged(look, {"clock", "shm=8G", "nofile=65536", "memlock=unlimited"});
  REQUIRE(report.findings.size() == 4);
  CHECK(report.findings[0].text == "/dev/shm has 64 MiB, and 8 GiB are asked for");
  CHECK(report.findings[1].text == "at most 1024 open files, and 65536 are asked for");
  CHECK(report.findings[1].hint.find("raise the soft one") != std::string::npos);
  CHECK(report.findings[2].text == "at most 8388608 bytes of locked memory, and unlimited are asked for");
  CHECK(report.findings[3].text == "port 29500 is taken by process 12 (python3)");
  CHECK(report.findings[3].action == FindingAction::free_port);
  CHECK(judged(look, {"clock", "nofile=1024"}).findings.size() == 1);
}

TEST_CASE("what is expected and what is not known") {
  const HostLook look = look_with({healthy_gpu(0)});
  CHECK(judged(look, {"clock", "expect:driver=580.159.04", "expect:accelerators=1"}).findings.empty());
  const HostReport report = judged(look, {"clock", "expect:driver=570", "expect:nccl=2.28.3"});
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].text == "driver is 580.159.04, and 570 is expected");
  CHECK(report.findings[0].action == FindingAction::align_versions);
  CHECK(report.findings[1].text == "nccl is not known here, and 2.28.3 is expected");
}

TEST_CASE("device files that keep a program from an accelerator") {
  HostLook look = look_with({});
  NodeLook& closed = look.nodes.emplace_back();
  closed.kind = "GPU";
  closed.path = "/dev/kfd";
  closed.is_closed = true;
  NodeLook& held = look.nodes.emplace_back();
  held.kind = "TPU";
  held.path = "/dev/vfio/0";
  held.holder = "process 12 (python3)";
  const HostReport report = judged(look);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].text == "GPU at /dev/kfd: this user may not open it for reading and writing");
  CHECK(report.findings[1].text == "TPU at /dev/vfio/0: process 12 (python3) has it open, and only one process can");
  CHECK(judged(look, {"-accelerators", "-in_use"}).findings.empty());
}

TEST_CASE("AMD and Gaudi by sysfs") {
  HostLook look = look_with({});
  SysfsHealth& amd = look.sysfs.emplace_back();
  amd.kind = "AMD GPU";
  amd.index = 2;
  amd.bus = "0000:05:00.0";
  amd.errors = {{"umc", 1}, {"gfx", 0}};
  amd.pages = {{'R', 3}, {'P', 1}};
  SysfsHealth& gaudi = look.sysfs.emplace_back();
  gaudi.kind = "Gaudi";
  gaudi.status = "In reset";
  gaudi.width = 8;
  gaudi.width_max = 16;
  const HostReport report = judged(look);
  CHECK(report.verdict().count(FindingSeverity::failure) == 4);
  CHECK(std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return finding.text.find("1 bad page of its memory is to be retired at the next reset") != std::string::npos;
  }));
}

TEST_CASE("speeds are facts, and what could not be measured is said") {
  HostLook look = look_with({});
  look.memory_speed.emplace().found.copied = 9'832'437'542;
  FolderLook& fast = look.folders.emplace_back();
  fast.asked.path = "/fast";
  fast.speed.emplace().found.written = 1'999'999;
  FolderLook& silent = look.folders.emplace_back();
  silent.asked.path = "/silent";
  silent.speed.emplace().is_silent = true;
  FolderLook& full = look.folders.emplace_back();
  full.asked.path = "/full";
  full.speed.emplace().found.error = "it has less than 4 GiB free";
  const std::vector<std::string> words = {"full"};
  const HostReport report = judge_host(look, *HostChecks::parse(words));
  CHECK(report.fact("memory_speed")->value == "9832 MB/s");
  CHECK(report.fact("disk_write:/fast")->value == "1 MB/s");
  CHECK(report.fact("disk_read:/fast")->value == "0 MB/s");
  CHECK_FALSE(report.fact("disk_write:/full"));
  REQUIRE(report.unknown.size() == 2);
  CHECK(report.unknown[0].why == "writing to '/silent' did not end in time");
  CHECK(report.unknown[1].why == "writing to '/full': it has less than 4 GiB free");
}

TEST_CASE("the clock, the name and the interface") {
  HostLook look = look_with({});
  look.clock->is_synchronised = false;
  look.host = "localhost";
  look.interface->state = "down";
  const HostReport report = judged(look);
  REQUIRE(report.findings.size() == 3);
  CHECK(report.findings[0].check == "nic");
  look.interface.reset();
  look.clock.reset();
  CHECK(judged(look).unknown.size() == 2);
}
