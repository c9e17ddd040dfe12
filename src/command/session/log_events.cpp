#include "command/session/log_events.hpp"

#include <fmt/format.h>

#include <utility>

#include "command/session/wire/message.hpp"
#include "render/render_event.hpp"

namespace rollcall::serve {

void LogEvents::on_event(const Event& event) noexcept {
  const bool is_warning = event.kind == EventKind::omitted || event.kind == EventKind::security_warning;
  if (!wants_all_ && !is_warning) return;
  if (!outbox_.has_room_for_events()) {
    ++dropped_;
    return;
  }
  send(render_event_json(event, started_));
}

void LogEvents::send(std::string_view record) {
  if (!outbox_.has_room_for_events()) {
    ++dropped_;
    return;
  }
  std::string members = fmt::format("\"record\":{}", record);
  if (dropped_ > 0) members += fmt::format(",\"dropped\":{}", std::exchange(dropped_, 0));
  outbox_.put(event_line("log", members));
}

}  // namespace rollcall::serve
