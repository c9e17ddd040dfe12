#include "render/render_json.hpp"

#include <fmt/format.h>

#include <iterator>

#include "json/json_text.hpp"

namespace rollcall {

std::string render_failure_json(const TargetFailure& failed) {
  const Failure& failure = failed.failure;
  std::string out = "{";
  append_json_field(out, "target", failed.target);
  append_json_field(out, "code", to_string(failure.code()));
  append_json_field(out, "message", failure.what());
  append_json_field(out, "hint", failure.hint());
  append_json_field(out, "asked", failure.target());
  append_json_field(out, "phase", to_string(failure.phase()));
  fmt::format_to(std::back_inserter(out), ",\"attempts\":{},\"http_status\":{},\"elapsed_ms\":{}}}", failure.attempts(),
                 failure.last_status(), std::chrono::duration_cast<std::chrono::milliseconds>(failure.elapsed()).count());
  return out;
}

std::string render_failures_json(const std::vector<TargetFailure>& failures) {
  std::string out = "[";
  for (const TargetFailure& failure : failures) out += (out.size() > 1 ? "," : "") + render_failure_json(failure);
  return out + "]";
}

std::string render_json(const ClusterSpec& spec, const std::vector<TargetFailure>& failures) {
  return "{\"cluster\":" + spec.to_json() + ",\"failures\":" + render_failures_json(failures) + "}\n";
}

}  // namespace rollcall
