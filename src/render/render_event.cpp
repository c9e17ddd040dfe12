#include "render/render_event.hpp"

#include <fmt/format.h>

#include "base/append_formatted.hpp"
#include "json/json_text.hpp"

namespace rollcall {

std::string render_event_json(const Event& event, SteadyTime started) {
  std::string out = fmt::format("{{\"event\":\"{}\",\"at_us\":{}", to_string(event.kind),
                                std::chrono::duration_cast<std::chrono::microseconds>(event.at - started).count());
  const auto number = [&out](std::string_view name, auto value) {
    if (value > 0) append_formatted(out, ",\"{}\":{}", name, value);
  };
  number("call", event.call);
  number("exchange", event.exchange);
  number("attempt", event.attempt);
  number("status", event.status);
  if (event.phase != Phase::none) append_json_field(out, "phase", to_string(event.phase));
  if (event.kind == EventKind::backing_off) {
    append_formatted(out, ",\"delay_us\":{},\"is_server_delay\":{}",
                     std::chrono::duration_cast<std::chrono::microseconds>(event.delay).count(), event.is_server_delay);
  }
  if (!event.subject.empty()) append_json_field(out, "subject", event.subject);
  if (!event.text.empty()) append_json_field(out, "text", event.text);
  if (event.failure) {
    append_json_field(out, "code", to_string(event.failure->code()));
    append_json_field(out, "message", event.failure->message());
  }
  return out + "}";
}

}  // namespace rollcall
