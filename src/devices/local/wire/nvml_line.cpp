#include "devices/local/wire/nvml_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/append_formatted.hpp"
#include "base/last_line.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view nvml_document = "the answer of the process that asks NVML";

void append_nvml_number(std::string& out, std::string_view name, std::uint64_t number) {
  append_formatted(out, ",\"{}\":{}", name, number);
}

void append_nvml_device(std::string& out, const NvmlDevice& device) {
  append_formatted(out, "{{\"index\":{},\"result\":{}", device.index, device.result);
  append_json_field(out, "name", device.name);
  append_json_field(out, "uuid", device.uuid);
  append_json_field(out, "bus", device.bus);
  if (device.minor) append_nvml_number(out, "minor", static_cast<std::uint64_t>(*device.minor));
  if (device.memory) append_nvml_number(out, "memory", *device.memory);
  if (device.is_health_late) out += ",\"late\":true";
  if (!device.values.empty()) {
    out += ",\"values\":{";
    for (const auto& [name, value] : device.values) append_formatted(out, "{}\"{}\":{}", out.back() == '{' ? "" : ",", name, value);
    out += '}';
  }
  if (!device.users.empty()) {
    out += ",\"processes\":[";
    for (const NvmlUser& user : device.users) {
      append_formatted(out, "{}{{\"pid\":{}", out.back() == '[' ? "" : ",", user.pid);
      if (user.memory) append_nvml_number(out, "memory", *user.memory);
      out += '}';
    }
    out += ']';
  }
  if (device.has_mig) {
    out += ",\"instances\":[";
    for (const NvmlDevice& instance : device.instances) {
      if (out.back() != '[') out += ',';
      append_nvml_device(out, instance);
    }
    out += ']';
  }
  out += '}';
}

std::string text_in(const boost::json::value& object, std::string_view key) { return std::string(find_text(object, key).value_or("")); }

// Absent: not there, or out of its bounds.
std::optional<std::uint64_t> number_in(const boost::json::value& object, std::string_view key, std::uint64_t high) {
  const boost::json::value* const found = find(object, key);
  if (!found) return std::nullopt;
  if (found->is_int64() && found->as_int64() >= 0 && static_cast<std::uint64_t>(found->as_int64()) <= high)
    return static_cast<std::uint64_t>(found->as_int64());
  if (found->is_uint64() && found->as_uint64() <= high) return found->as_uint64();
  return std::nullopt;
}

int small_number_in(const boost::json::value& object, std::string_view key) {
  return static_cast<int>(number_in(object, key, 1'000'000).value_or(0));
}

Failure no_nvml_line(std::string_view what) { return Failure(Errc::malformed_response, fmt::format("{} {}", nvml_document, what)); }

bool is_value_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

Result<void> read_health(const boost::json::value& one, NvmlDevice& device) {
  if (const boost::json::value* const late = find(one, "late")) device.is_health_late = late->is_bool() && late->as_bool();
  if (const boost::json::object* const values = find_object(one, "values")) {
    if (values->size() > max_nvml_values) return no_nvml_line("has too many values of a GPU");
    for (const auto& field : *values) {
      const std::string_view name(field.key().data(), field.key().size());
      const std::optional<std::uint64_t> value = number_in(one.at("values"), name, UINT64_MAX);
      if (!is_value_name(name) || !value) return no_nvml_line("has a value of a GPU that is no number");
      device.values.insert_or_assign(std::string(name), *value);
    }
  }
  const boost::json::value* const users = find(one, "processes");
  if (!users) return Result<void>();
  if (!users->is_array() || users->as_array().size() > max_nvml_processes) return no_nvml_line("has no usable list of processes");
  for (const boost::json::value& user : users->as_array()) {
    if (!user.is_object()) return no_nvml_line("has a list of processes with others in it");
    NvmlUser& added = device.users.emplace_back();
    added.pid = number_in(user, "pid", UINT32_MAX).value_or(0);
    added.memory = number_in(user, "memory", UINT64_MAX);
  }
  return Result<void>();
}

Result<std::vector<NvmlDevice>> nvml_devices_in(const boost::json::value& object, std::string_view key, std::size_t limit) {
  std::vector<NvmlDevice> devices;
  const boost::json::value* const list = find(object, key);
  if (!list) return devices;
  if (!list->is_array() || list->as_array().size() > limit) return no_nvml_line(fmt::format("has no usable list of {}", key));
  for (const boost::json::value& one : list->as_array()) {
    if (!one.is_object()) return no_nvml_line(fmt::format("has a list of {} with {} in it", key, kind_name(one)));
    NvmlDevice& device = devices.emplace_back();
    device.index = small_number_in(one, "index");
    device.result = small_number_in(one, "result");
    device.name = text_in(one, "name");
    device.uuid = text_in(one, "uuid");
    device.bus = text_in(one, "bus");
    if (const auto minor = number_in(one, "minor", 1'000'000)) device.minor = static_cast<int>(*minor);
    device.memory = number_in(one, "memory", UINT64_MAX);
    if (Result<void> read = read_health(one, device); !read) return read.error();
    device.has_mig = find(one, "instances") != nullptr;
    if (!device.has_mig || key == "instances") continue;
    Result<std::vector<NvmlDevice>> instances = nvml_devices_in(one, "instances", max_nvml_instances);
    if (!instances) return instances.error();
    device.instances = std::move(*instances);
  }
  return devices;
}

}  // namespace

std::string write_nvml_line(const NvmlReport& report) {
  std::string out = fmt::format("{{\"nvml\":1,\"result\":{}", report.result);
  append_json_field(out, "step", report.step);
  append_json_field(out, "message", report.message);
  append_json_field(out, "driver", report.driver);
  append_nvml_number(out, "count", report.count);
  out += ",\"devices\":[";
  for (const NvmlDevice& device : report.devices) {
    if (out.back() != '[') out += ',';
    append_nvml_device(out, device);
  }
  return out + "]}\n";
}

Result<NvmlReport> parse_nvml_line(std::string_view output) {
  if (output.size() > max_nvml_line_bytes) return no_nvml_line("is longer than 1 MiB");
  const std::string_view line = last_line(output);
  if (line.empty()) return no_nvml_line("is empty");
  const Result<JsonDocument> document = JsonDocument::parse(nvml_document, line);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  if (!root.is_object() || number_in(root, "nvml", 1) != 1) return no_nvml_line("is not of its form");
  NvmlReport report;
  report.step = text_in(root, "step");
  report.message = text_in(root, "message");
  report.result = small_number_in(root, "result");
  report.driver = text_in(root, "driver");
  report.count = number_in(root, "count", UINT64_MAX).value_or(0);
  Result<std::vector<NvmlDevice>> devices = nvml_devices_in(root, "devices", max_nvml_devices);
  if (!devices) return devices.error();
  report.devices = std::move(*devices);
  const bool is_listed = report.step.empty() && report.count <= max_nvml_devices;
  if (report.devices.size() != (is_listed ? report.count : 0)) return no_nvml_line("counts others than it lists");
  return report;
}

}  // namespace rollcall
