#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/append_formatted.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"
#include "render/render_devices.hpp"
#include "rollcall/device.hpp"

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

// `16 GPUs (H100) on 2 hosts, 8 each`
std::string headline_of_members(const DeviceReport& report) {
  std::map<std::string, int, std::less<>> total;
  for (const HostDevices& host : report.hosts) {
    for (const auto& [kind, count] : host.counts) total[kind] = saturating_sum(total[kind], count);
  }
  std::string what;
  for (const auto& [kind, count] : total) what += (what.empty() ? "" : ", ") + plural(count, printable(kind, 64));
  if (!report.model.empty()) what += fmt::format(" ({})", printable(report.model, 64));
  what += " on " + plural(static_cast<int>(report.machines), "host");
  const bool is_even = std::all_of(report.hosts.begin(), report.hosts.end(),
                                   [&report](const HostDevices& host) { return host.counts == report.hosts.front().counts; });
  if (total.size() == 1 && is_even && report.hosts.size() == report.machines)
    what += fmt::format(", {} each", report.hosts.front().counts.begin()->second);
  return fmt::format("{}: {} (source: {})\n", printable(report.target), what, printable(report.source, 64));
}

// A column per device type, a row per host.
void append_table(std::string& out, const std::vector<HostDevices>& hosts) {
  std::set<std::string, std::less<>> types;
  std::size_t job_width = 3;
  for (const HostDevices& host : hosts) {
    job_width = std::max(job_width, printable(host.job, 64).size());
    for (const auto& [type, count] : host.counts) types.insert(type);
  }
  append_formatted(out, "  {:<{}}  {:>5}", "job", job_width, "task");
  for (const std::string& type : types) append_formatted(out, "  {:>5}", printable(type, 64));
  out += '\n';
  for (const HostDevices& host : hosts) {
    const std::string job = host.job.empty() ? "-" : printable(host.job, 64);
    append_formatted(out, "  {:<{}}  {:>5}", job, job_width, host.task ? std::to_string(*host.task) : "-");
    for (const std::string& type : types) {
      const auto found = host.counts.find(type);
      append_formatted(out, "  {:>{}}", found == host.counts.end() ? 0 : found->second,
                       std::max<std::size_t>(5, printable(type, 64).size()));
    }
    out += '\n';
  }
}

}  // namespace

std::string render_devices_text(const std::vector<DeviceReport>& reports) {
  std::string out;
  for (const DeviceReport& report : reports) {
    const std::vector<HostDevices> hosts = report.machines > 0 ? report.hosts : devices_by_host(report.metadata.devices);
    out += report.machines > 0 ? headline_of_members(report) : headline(report, hosts.size());
    if (!hosts.empty()) append_table(out, hosts);
  }
  return out;
}

namespace {

void append_counts(std::string& out, const std::map<std::string, int, std::less<>>& counts) {
  out += '{';
  for (const auto& [type, count] : counts) {
    if (out.back() != '{') out += ',';
    append_json_string(out, type);
    append_formatted(out, ":{}", count);
  }
  out += '}';
}

void append_host(std::string& out, const HostDevices& host) {
  out += '{';
  append_json_field(out, "job", host.job);
  append_formatted(out, ",\"task\":{},\"counts\":", host.task ? std::to_string(*host.task) : "null");
  append_counts(out, host.counts);
  out += '}';
}

void append_locality(std::string& out, const DeviceLocality& locality) {
  append_formatted(out, ",\"locality\":{{\"bus_id\":{},\"numa_node\":{},\"links\":[", locality.bus_id, locality.numa_node);
  for (const DeviceLink& link : locality.links) {
    append_formatted(out, "{}{{\"device_id\":{}", out.back() == '[' ? "" : ",", link.device_id);
    append_json_field(out, "type", link.type);
    append_formatted(out, ",\"strength\":{}}}", link.strength);
  }
  out += "]}";
}

void append_device(std::string& out, const DeviceAttributes& device) {
  out += '{';
  append_json_field(out, "name", device.name);
  append_json_field(out, "device_type", device.device_type);
  // Many parsers cannot represent 64-bit unsigned numbers.
  append_formatted(out, ",\"memory_limit\":{},\"incarnation\":\"{}\"", device.memory_limit, device.incarnation);
  if (device.locality != DeviceLocality()) append_locality(out, device.locality);
  out += '}';
}

void append_report(std::string& out, const DeviceReport& report) {
  const TpuSystemMetadata& metadata = report.metadata;
  out += '{';
  append_json_field(out, "target", report.target);
  append_json_field(out, "source", report.machines > 0 ? std::string_view(report.source) : to_string(metadata.source));
  if (!report.model.empty()) append_json_field(out, "model", report.model);
  if (report.is_tpu) {
    append_formatted(out, ",\"num_cores\":{},\"num_hosts\":{},\"num_of_cores_per_host\":{},\"topology\":", metadata.num_cores,
                     metadata.num_hosts, metadata.num_of_cores_per_host);
    if (metadata.topology) {
      append_json_string(out, metadata.topology->to_text());
    } else {
      out += "null";
    }
  }
  out += ",\"hosts\":[";
  bool is_first = true;
  for (const HostDevices& host : report.machines > 0 ? report.hosts : devices_by_host(metadata.devices)) {
    if (!std::exchange(is_first, false)) out += ',';
    append_host(out, host);
  }
  out += "],\"devices\":[";
  is_first = true;
  for (const DeviceAttributes& device : metadata.devices) {
    if (!std::exchange(is_first, false)) out += ',';
    append_device(out, device);
  }
  out += "]}";
}

}  // namespace

std::string render_devices_json(const std::vector<DeviceReport>& reports, const std::vector<TargetFailure>& failures) {
  std::string out = "{\"targets\":[";
  for (const DeviceReport& report : reports) {
    if (out.back() != '[') out += ',';
    append_report(out, report);
  }
  return out + "],\"failures\":" + render_failures_json(failures) + "}\n";
}

std::vector<HostDevices> devices_by_host(const std::vector<DeviceAttributes>& devices) {
  std::map<std::pair<std::string, std::optional<int>>, HostDevices> hosts;
  for (const DeviceAttributes& device : devices) {
    const Result<Device> name = Device::parse(device.name);
    const std::string job = name ? name->job.value_or("") : std::string();
    const std::optional<int> task = name ? name->task : std::nullopt;
    HostDevices& host = hosts[{job, task}];
    host.job = job;
    host.task = task;
    ++host.counts[device.device_type];
  }
  std::vector<HostDevices> result;
  result.reserve(hosts.size());
  for (auto& [key, host] : hosts) result.push_back(std::move(host));
  return result;
}

}  // namespace rollcall
