#include "render/render_local_devices.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

void append_local_number(std::string& out, std::string_view name, std::optional<std::uint64_t> number) {
  append_formatted(out, ",\"{}\":{}", name, number ? std::to_string(*number) : "null");
}

std::optional<std::uint64_t> unsigned_of(std::optional<int> number) {
  return number ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

void append_local_device(std::string& out, const LocalDevice& device) {
  out += '{';
  append_json_field(out, "model", device.model);
  append_json_field(out, "uuid", device.uuid);
  append_json_field(out, "bus", device.bus);
  append_json_field(out, "node", device.node);
  append_local_number(out, "index", unsigned_of(device.index));
  append_local_number(out, "memory_bytes", device.memory_bytes);
  out += '}';
}

void append_local_group(std::string& out, const LocalDeviceGroup& group) {
  out += '{';
  append_json_field(out, "kind", group.kind);
  append_json_field(out, "vendor", group.vendor);
  append_json_field(out, "model", group.model);
  append_json_field(out, "source", group.source);
  append_json_field(out, "driver", group.driver);
  append_local_number(out, "count", unsigned_of(group.count));
  out += ",\"visible\":";
  if (group.visible) {
    out += '{';
    append_json_field(out, "variable", group.visible->variable);
    append_local_number(out, "count", unsigned_of(group.visible->count));
    out += '}';
  } else {
    out += "null";
  }
  out += ",\"devices\":[";
  for (const LocalDevice& device : group.devices) {
    if (out.back() != '[') out += ',';
    append_local_device(out, device);
  }
  out += "]}";
}

}  // namespace

std::string render_local_devices_text(const LocalDevices& found) {
  std::string out;
  if (found.groups.empty()) out += "no accelerators on this host (source: PCI and /dev)\n";
  for (const LocalDeviceGroup& group : found.groups) {
    const std::string model = group.model.empty() ? group.vendor : group.model;
    const std::string what = group.count ? fmt::format("{} {}{}", *group.count, group.kind, *group.count == 1 ? "" : "s")
                                         : fmt::format("an unknown number of {}s", group.kind);
    append_formatted(out, "{} ({}) on this host (source: {})\n", what, printable(model, 120), group.source);
  }
  for (const std::string& note : found.notes) append_formatted(out, "  {}\n", printable(note, 1000));
  return out;
}

std::string render_local_devices_json(const LocalDevices& found) {
  std::string out = "{\"local\":[";
  for (const LocalDeviceGroup& group : found.groups) {
    if (out.back() != '[') out += ',';
    append_local_group(out, group);
  }
  out += "],\"notes\":[";
  for (const std::string& note : found.notes) {
    if (out.back() != '[') out += ',';
    append_json_string(out, note);
  }
  return out + "]}\n";
}

}  // namespace rollcall
