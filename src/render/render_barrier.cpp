#include "render/render_barrier.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/timestamp.hpp"
#include "json/json_text.hpp"

namespace rollcall {

void append_barrier_members(std::string& out, const BarrierProgress& progress, WallTime now) {
  out += fmt::format("\"here\":{},\"total\":{},\"missing\":[", progress.here, progress.tasks);
  for (const BarrierAbsence& absence : progress.missing) {
    out += out.back() == '[' ? "{" : ",{";
    append_json_field(out, "task", absence.task);
    append_json_field(out, "why", absence.why);
    if (!absence.stage.empty()) {
      append_json_field(out, "stage", absence.stage);
      append_json_field(out, "since", format_rfc3339(std::chrono::floor<std::chrono::seconds>(now - absence.time)));
    }
    const auto others = std::chrono::duration_cast<std::chrono::milliseconds>(absence.others).count();
    if (others > 0) out += fmt::format(",\"others_ms\":{}", others);
    out += '}';
  }
  out += ']';
  const int more = progress.tasks - progress.here - static_cast<int>(progress.missing.size());
  if (more > 0 && progress.trouble.empty()) out += fmt::format(",\"missing_more\":{}", more);
}

namespace {

std::string stage_json(std::string_view stage, const BarrierProgress& progress, std::string_view line, WallTime now) {
  std::string out = fmt::format("{{\"stage\":\"{}\",", stage);
  append_barrier_members(out, progress, now);
  append_json_field(out, "trouble", progress.trouble);
  append_json_field(out, "line", line);
  return out + "}";
}

}  // namespace

std::string render_barrier_json(const BarrierProgress& progress, WallTime now) {
  return stage_json("barrier", progress, progress.line(), now);
}

std::string render_preflight_progress_json(const BarrierProgress& progress, std::string_view line, WallTime now) {
  return stage_json("preflight", progress, line, now);
}

}  // namespace rollcall
