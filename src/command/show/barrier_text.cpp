#include "command/show/barrier_text.hpp"

#include <fmt/format.h>

#include <chrono>

#include "json/json_text.hpp"
#include "render/render_barrier.hpp"

namespace rollcall::command {

std::string listed_barrier_json(const ListedBarrier& barrier, WallTime now) {
  std::string out = "{";
  append_json_field(out, "run", barrier.run);
  append_json_field(out, "tasks", barrier.tasks);
  out += ',';
  append_barrier_members(out, barrier.progress, now);
  append_json_field(out, "state", barrier.is_released ? "released" : "waiting");
  const auto waiting = std::chrono::duration_cast<std::chrono::milliseconds>(barrier.waiting).count();
  return out + fmt::format(",\"generation\":{},\"waiting_ms\":{}}}", barrier.generation, waiting);
}

}  // namespace rollcall::command
