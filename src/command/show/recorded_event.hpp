// An event that outlives its occasion.
#pragma once

#include <optional>
#include <string>

#include "rollcall/log.hpp"

namespace rollcall::tools {

class RecordedEvent {
 public:
  RecordedEvent() {}
  explicit RecordedEvent(const Event& e)
      : kind(e.kind), at(e.at), call(e.call), exchange(e.exchange), attempt(e.attempt), status(e.status), phase(e.phase), delay(e.delay),
        is_server_delay(e.is_server_delay), subject(e.subject), text(e.text) {
    if (e.failure) failure = *e.failure;
  }

  EventKind kind = EventKind::call_started;
  SteadyTime at{};
  std::uint64_t call = 0;
  std::uint64_t exchange = 0;
  int attempt = 0;
  int status = 0;
  Phase phase = Phase::none;
  Duration delay{0};
  bool is_server_delay = false;
  std::string subject;
  std::string text;
  std::optional<Failure> failure;
};

}  // namespace rollcall::tools
