#include "render/render_host_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"
#include "render/host_report_fields.hpp"
#include "render/render_local_devices.hpp"
#include "render/render_preflight.hpp"

namespace rollcall {
namespace {

PreflightVerdict host_verdict(const HostReport& report, std::chrono::milliseconds took) {
  PreflightVerdict verdict = report.verdict();
  verdict.took = took;
  return verdict;
}

void append_gpu(std::string& out, const GpuHealth& gpu) {
  append_formatted(out, "{{\"index\":{},\"result\":{}", gpu.index, gpu.result);
  append_json_field(out, "name", gpu.name);
  append_json_field(out, "uuid", gpu.uuid);
  append_json_field(out, "bus", gpu.bus);
  out += ",\"values\":{";
  for (const auto& [name, value] : gpu.values) append_formatted(out, "{}\"{}\":{}", out.back() == '{' ? "" : ",", name, value);
  out += "},\"processes\":[";
  for (const GpuUser& user : gpu.users) {
    append_formatted(out, "{}{{\"pid\":{},\"memory_bytes\":{}}}", out.back() == '[' ? "" : ",", user.pid,
                     user.memory_bytes ? std::to_string(*user.memory_bytes) : "null");
  }
  out += "]}";
}

}  // namespace

void write_accelerators(std::string& out, const HostReport& report) {
  out += report.devices ? trim(render_local_devices_json(*report.devices)) : "null";
}

void write_gpus(std::string& out, const HostReport& report) {
  out += '[';
  for (const GpuHealth& gpu : report.gpus) {
    if (out.back() != '[') out += ',';
    append_gpu(out, gpu);
  }
  out += ']';
}

std::string render_host_preflight_text(const HostReport& report, std::chrono::milliseconds took) {
  const std::string subject = report.host.empty() ? std::string("preflight") : fmt::format("preflight {}", report.host);
  std::string out = render_preflight_text(subject, host_verdict(report, took));
  if (report.devices) out += render_local_devices_text(*report.devices);
  std::size_t width = 0;
  for (const HostFact& fact : report.facts) width = std::max(width, fact.name.size());
  for (const HostFact& fact : report.facts) append_formatted(out, "  {:<{}}  {}\n", printable(fact.name), width, printable(fact.value));
  return out;
}

std::string render_host_preflight_json(const HostReport& report, std::chrono::milliseconds took) {
  std::string out = to_json(preflight_verdict_fields, host_verdict(report, took));
  out.pop_back();
  return out + ",\"host\":" + to_json(host_facts_fields, report) + "}\n";
}

std::string render_host_report_json(const HostReport& report) { return to_json(host_report_fields, report); }

}  // namespace rollcall
