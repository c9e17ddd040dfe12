#include "command/show/barrier_text.hpp"

#include <fmt/format.h>

#include "json/json_text.hpp"

namespace rollcall::command {

std::string barrier_json(const BarrierProgress& progress) {
  std::string out = fmt::format("{{\"stage\":\"barrier\",\"here\":{},\"total\":{},\"missing\":[", progress.here, progress.tasks);
  for (const BarrierAbsence& absence : progress.missing) {
    out += out.back() == '[' ? "{" : ",{";
    append_json_field(out, "task", absence.task);
    append_json_field(out, "why", absence.why);
    out += '}';
  }
  out += ']';
  const int more = progress.tasks - progress.here - static_cast<int>(progress.missing.size());
  if (more > 0 && progress.trouble.empty()) out += fmt::format(",\"missing_more\":{}", more);
  append_json_field(out, "trouble", progress.trouble);
  append_json_field(out, "line", progress.line());
  return out + "}";
}

}  // namespace rollcall::command
