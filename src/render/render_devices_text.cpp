#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "render/devices_by_host.hpp"
#include "render/render_devices.hpp"

namespace rollcall {
namespace {

std::string plural(int count, std::string_view one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

std::string headline(const DeviceReport& report, std::size_t hosts) {
  const TpuSystemMetadata& metadata = report.metadata;
  std::string what = plural(static_cast<int>(metadata.devices.size()), "device") + " on " + plural(static_cast<int>(hosts), "host");
  if (report.is_tpu) {
    what = fmt::format("{} on {}, {} each", plural(metadata.num_cores, "TPU device"), plural(metadata.num_hosts, "host"),
                       metadata.num_of_cores_per_host);
    if (metadata.topology) what += fmt::format(", topology {}", metadata.topology->to_text());
  }
  return fmt::format("{}: {} (source: {})\n", printable(report.target), what, to_string(metadata.source));
}

// A column per device type, a row per host.
void append_table(std::string& out, const std::vector<HostDevices>& hosts) {
  std::set<std::string, std::less<>> types;
  std::size_t job_width = 3;
  for (const HostDevices& host : hosts) {
    job_width = std::max(job_width, printable(host.job, 64).size());
    for (const auto& [type, count] : host.counts) types.insert(type);
  }
  auto into = std::back_inserter(out);
  fmt::format_to(into, "  {:<{}}  {:>5}", "job", job_width, "task");
  for (const std::string& type : types) fmt::format_to(into, "  {:>5}", printable(type, 64));
  out += '\n';
  for (const HostDevices& host : hosts) {
    const std::string job = host.job.empty() ? "-" : printable(host.job, 64);
    fmt::format_to(into, "  {:<{}}  {:>5}", job, job_width, host.task ? std::to_string(*host.task) : "-");
    for (const std::string& type : types) {
      const auto found = host.counts.find(type);
      fmt::format_to(into, "  {:>{}}", found == host.counts.end() ? 0 : found->second,
                     std::max<std::size_t>(5, printable(type, 64).size()));
    }
    out += '\n';
  }
}

}  // namespace

std::string render_devices_text(const std::vector<DeviceReport>& reports) {
  std::string out;
  for (const DeviceReport& report : reports) {
    const std::vector<HostDevices> hosts = devices_by_host(report.metadata.devices);
    out += headline(report, hosts.size());
    if (!hosts.empty()) append_table(out, hosts);
  }
  return out;
}

}  // namespace rollcall
