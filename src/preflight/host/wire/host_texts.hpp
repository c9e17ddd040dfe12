// The texts of /proc, /sys and /etc about a host: memory, limits, processors, routes, the system's name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

/// PRETTY_NAME of /etc/os-release without its quotes, else NAME and VERSION_ID. Empty: neither is there.
std::string parse_os_release(std::string_view text);

/// The bytes of a row of /proc/meminfo, such as `MemTotal`.
std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view row);

/// A row of /proc/self/limits. Absent numbers: unlimited.
class ProcessLimit {
 public:
  ProcessLimit() {}
  std::optional<std::uint64_t> soft;
  std::optional<std::uint64_t> hard;
};
/// `row`: `Max open files`. Absent: there is no such row.
std::optional<ProcessLimit> parse_process_limit(std::string_view text, std::string_view row);

/// The value behind `name:` in /proc/self/status and files like it; empty: not there.
std::string parse_status_row(std::string_view text, std::string_view name);

/// How many processors a list such as `0-3,8` has; absent: it is no list.
std::optional<std::uint64_t> parse_processor_list(std::string_view text);

/// The first number of /proc/loadavg, in hundredths.
std::optional<std::uint64_t> parse_load(std::string_view text);

/// The interface of the default route in /proc/net/route with the lowest metric; empty: there is none.
std::string parse_default_interface(std::string_view text);
/// The same of /proc/net/ipv6_route.
std::string parse_default_interface_of_ipv6(std::string_view text);

/// The folder of this process below cgroup v2, or below that of a controller of v1 such as `memory`, from /proc/self/cgroup:
/// `/kubepods/pod1`. Absent: it has none there.
std::optional<std::string> parse_cgroup_folder(std::string_view text, std::string_view controller = {});

/// Processors that `cpu.max` of a cgroup allows, in hundredths; absent: no limit. Of v1 `cpu.cfs_quota_us` and `cpu.cfs_period_us`
/// together.
std::optional<std::uint64_t> parse_processor_quota(std::string_view text);

/// The inodes of sockets that listen on `port`, of /proc/net/tcp or tcp6.
std::set<std::uint64_t> parse_listening_inodes(std::string_view text, std::uint16_t port);

/// Totals of a ras/*_err_count file of amdgpu: `ue: 1`, `ce: 4`.
std::map<std::string, std::uint64_t> parse_ras_counts(std::string_view text);

/// Rows of ras/gpu_vram_bad_pages whose page is reserved (R), pending (P) or could not be reserved (F), by that letter.
std::map<char, std::uint64_t> parse_bad_pages(std::string_view text);

}  // namespace rollcall
