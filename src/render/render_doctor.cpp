#include "render/render_doctor.hpp"

#include <fmt/format.h>

#include "json/json_text.hpp"

namespace rollcall {

std::string render_doctor_json(const DoctorReport& report) {
  std::string out = fmt::format("{{\"healthy\":{},\"checks\":[", !report.has_failed());
  for (const DoctorCheck& check : report.checks) {
    if (out.back() != '[') out += ',';
    out += '{';
    append_json_field(out, "name", check.name);
    append_json_field(out, "outcome", to_string(check.outcome));
    append_json_field(out, "found", check.found);
    append_json_field(out, "hint", check.hint);
    out += fmt::format(",\"took_ms\":{}}}", std::chrono::duration_cast<std::chrono::milliseconds>(check.took).count());
  }
  return out + "]}";
}

}  // namespace rollcall
