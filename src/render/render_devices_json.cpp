#include <fmt/format.h>

#include <iterator>

#include "json/json_text.hpp"
#include "render/devices_by_host.hpp"
#include "render/render_devices.hpp"

namespace rollcall {
namespace {

void append_counts(std::string& out, const std::map<std::string, int, std::less<>>& counts) {
  out += '{';
  for (const auto& [type, count] : counts) {
    if (out.back() != '{') out += ',';
    append_json_string(out, type);
    fmt::format_to(std::back_inserter(out), ":{}", count);
  }
  out += '}';
}

void append_host(std::string& out, const HostDevices& host) {
  out += '{';
  append_json_field(out, "job", host.job);
  fmt::format_to(std::back_inserter(out), ",\"task\":{},\"counts\":", host.task ? std::to_string(*host.task) : "null");
  append_counts(out, host.counts);
  out += '}';
}

void append_locality(std::string& out, const DeviceLocality& locality) {
  fmt::format_to(std::back_inserter(out), ",\"locality\":{{\"bus_id\":{},\"numa_node\":{},\"links\":[", locality.bus_id,
                 locality.numa_node);
  for (const DeviceLink& link : locality.links) {
    fmt::format_to(std::back_inserter(out), "{}{{\"device_id\":{}", out.back() == '[' ? "" : ",", link.device_id);
    append_json_field(out, "type", link.type);
    fmt::format_to(std::back_inserter(out), ",\"strength\":{}}}", link.strength);
  }
  out += "]}";
}

void append_device(std::string& out, const DeviceAttributes& device) {
  out += '{';
  append_json_field(out, "name", device.name);
  append_json_field(out, "device_type", device.device_type);
  // 64 unsigned bits do not fit into every reader's numbers.
  fmt::format_to(std::back_inserter(out), ",\"memory_limit\":{},\"incarnation\":\"{}\"", device.memory_limit, device.incarnation);
  if (device.locality != DeviceLocality()) append_locality(out, device.locality);
  out += '}';
}

void append_report(std::string& out, const DeviceReport& report) {
  const TpuSystemMetadata& metadata = report.metadata;
  out += '{';
  append_json_field(out, "target", report.target);
  append_json_field(out, "source", to_string(metadata.source));
  if (report.is_tpu) {
    fmt::format_to(std::back_inserter(out),
                   ",\"num_cores\":{},\"num_hosts\":{},\"num_of_cores_per_host\":{},\"topology\":", metadata.num_cores, metadata.num_hosts,
                   metadata.num_of_cores_per_host);
    if (metadata.topology) {
      append_json_string(out, metadata.topology->to_text());
    } else {
      out += "null";
    }
  }
  out += ",\"hosts\":[";
  bool is_first = true;
  for (const HostDevices& host : devices_by_host(metadata.devices)) {
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

}  // namespace rollcall
