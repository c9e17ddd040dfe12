#include "preflight/host/look_at_host.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "base/host_folders.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_fabric_ports = 256;

std::optional<ClockLook> look_at_clock() {
  timex answer{};  // no mode: nothing is set
  const int state = ::adjtimex(&answer);
  if (state < 0) return std::nullopt;
  ClockLook clock;
  clock.is_synchronised = state != TIME_ERROR && (answer.status & STA_UNSYNC) == 0;
  clock.max_error_microseconds = answer.maxerror;
  return clock;
}

std::optional<std::uint64_t> size_of_shm(const std::string& root) {
  struct statvfs found{};
  if (::statvfs((root + "/dev/shm").c_str(), &found) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(found.f_blocks) * found.f_frsize;
}

// The least that this process's cgroup and those around it allow, of v2 or of a controller of v1. In a container its own one may be the
// root.
template <class Read>
std::optional<std::uint64_t> smallest_of_cgroups(const HostFolders& folders, std::string_view controller, Read read) {
  const std::string text = folders.text("/proc/self/cgroup").value_or("");
  std::string base = "/sys/fs/cgroup";
  if (!controller.empty()) base += fmt::format("/{}", controller);
  std::string folder = parse_cgroup_folder(text, controller).value_or("/");
  std::optional<std::uint64_t> least;
  while (true) {
    const std::optional<std::uint64_t> limit = read(base + (folder == "/" ? std::string() : folder));
    if (limit) least = std::min(*limit, least.value_or(*limit));
    if (folder.empty() || folder == "/") return least;
    folder.resize(folder.rfind('/'));
  }
}

// Of a host that has both versions a limit is in one of them.
std::optional<std::uint64_t> memory_limit(const HostFolders& folders) {
  const auto read = [&folders](const char* file) {
    return [&folders, file](const std::string& cgroup) { return parse_decimal<std::uint64_t>(folders.word(cgroup + file)); };
  };
  const std::optional<std::uint64_t> limit = smallest_of_cgroups(folders, "", read("/memory.max"));
  return limit ? limit : smallest_of_cgroups(folders, "memory", read("/memory.limit_in_bytes"));
}

std::optional<std::uint64_t> processor_quota(const HostFolders& folders) {
  const auto of_v2 = [&folders](const std::string& cgroup) { return parse_processor_quota(folders.word(cgroup + "/cpu.max")); };
  const auto of_v1 = [&folders](const std::string& cgroup) {
    return parse_processor_quota(folders.word(cgroup + "/cpu.cfs_quota_us") + " " + folders.word(cgroup + "/cpu.cfs_period_us"));
  };
  const std::optional<std::uint64_t> quota = smallest_of_cgroups(folders, "", of_v2);
  return quota ? quota : smallest_of_cgroups(folders, "cpu", of_v1);
}

void look_at_processors(const HostFolders& folders, ProcessorLook& processors) {
  const std::string status = folders.text("/proc/self/status").value_or("");
  processors.allowed = parse_processor_list(parse_status_row(status, "Cpus_allowed_list"));
  processors.online = parse_processor_list(folders.word("/sys/devices/system/cpu/online"));
  processors.load = parse_load(folders.word("/proc/loadavg"));
  processors.governor = folders.word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  processors.quota = processor_quota(folders);
}

std::optional<InterfaceLook> look_at_interface(const HostFolders& folders) {
  InterfaceLook nic;
  nic.name = parse_default_interface(folders.text("/proc/net/route").value_or(""));
  if (nic.name.empty()) nic.name = parse_default_interface_of_ipv6(folders.text("/proc/net/ipv6_route").value_or(""));
  if (nic.name.empty()) return std::nullopt;
  const std::string base = "/sys/class/net/" + nic.name;
  nic.state = folders.word(base + "/operstate");
  nic.speed = folders.word(base + "/speed");
  nic.duplex = folders.word(base + "/duplex");
  nic.mtu = folders.word(base + "/mtu");
  nic.driver = folders.link_name(base + "/device/driver");
  return nic;
}

std::vector<FabricPort> look_at_fabric(const HostFolders& folders) {
  std::vector<FabricPort> ports;
  const std::string base = "/sys/class/infiniband/";
  for (const std::string& adapter : folders.names(base).value_or(std::vector<std::string>())) {
    const std::string folder = base + adapter + "/ports/";
    for (const std::string& port : folders.names(folder).value_or(std::vector<std::string>())) {
      if (ports.size() == max_fabric_ports) return ports;
      FabricPort& added = ports.emplace_back();
      added.name = adapter + " port " + port;
      added.state = folders.word(folder + port + "/state");
      added.rate = folders.word(folder + port + "/rate");
    }
  }
  return ports;
}

}  // namespace

void look_at_system(const Files& files, const std::string& root, HostLook& look) {
  const HostFolders folders(files, root);
  look.host = folders.word("/proc/sys/kernel/hostname");
  look.boot_id = folders.word("/proc/sys/kernel/random/boot_id");
  look.kernel = folders.word("/proc/sys/kernel/osrelease");
  utsname names{};
  if (::uname(&names) == 0) look.architecture = names.machine;
  look.os = parse_os_release(folders.text("/etc/os-release").value_or(folders.text("/usr/lib/os-release").value_or("")));
  look.clock = look_at_clock();
  look.memory = parse_meminfo(folders.text("/proc/meminfo").value_or(""), "MemTotal");
  look.memory_limit = memory_limit(folders);
  look.shm = size_of_shm(root);
  const std::string limits = folders.text("/proc/self/limits").value_or("");
  look.open_files = parse_process_limit(limits, "Max open files");
  look.locked_memory = parse_process_limit(limits, "Max locked memory");
  look_at_processors(folders, look.processors);
  look.interface = look_at_interface(folders);
  look.fabric = look_at_fabric(folders);
  for (const auto& [name, module] : {std::pair("ofed", "mlx5_core"), std::pair("efa", "efa")}) {
    const std::string version = folders.word(std::string("/sys/module/") + module + "/version");
    if (!version.empty()) look.modules.emplace(name, version);
  }
}

}  // namespace rollcall
