#include "command/show/barrier_text.hpp"

#include <fmt/format.h>

#include <chrono>

#include "json/json_text.hpp"

namespace rollcall::command {

namespace {

void append_progress(std::string& out, const BarrierProgress& progress) {
  out += fmt::format("\"here\":{},\"total\":{},\"missing\":[", progress.here, progress.tasks);
  for (const BarrierAbsence& absence : progress.missing) {
    out += out.back() == '[' ? "{" : ",{";
    append_json_field(out, "task", absence.task);
    append_json_field(out, "why", absence.why);
    out += '}';
  }
  out += ']';
  const int more = progress.tasks - progress.here - static_cast<int>(progress.missing.size());
  if (more > 0 && progress.trouble.empty()) out += fmt::format(",\"missing_more\":{}", more);
}

}  // namespace

std::string barrier_json(const BarrierProgress& progress) {
  std::string out = "{\"stage\":\"barrier\",";
  append_progress(out, progress);
  append_json_field(out, "trouble", progress.trouble);
  append_json_field(out, "line", progress.line());
  return out + "}";
}

std::string listed_barrier_json(const ListedBarrier& barrier) {
  std::string out = "{";
  append_json_field(out, "run", barrier.run);
  append_json_field(out, "tasks", barrier.tasks);
  out += ',';
  append_progress(out, barrier.progress);
  append_json_field(out, "state", barrier.is_released ? "released" : "waiting");
  const auto waiting = std::chrono::duration_cast<std::chrono::milliseconds>(barrier.waiting).count();
  return out + fmt::format(",\"generation\":{},\"waiting_ms\":{}}}", barrier.generation, waiting);
}

}  // namespace rollcall::command
