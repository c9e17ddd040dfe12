// Sends the library's events to the client as `log` events. They belong to the session; while there is no room they are dropped and
// counted.
#pragma once

#include <cstdint>
#include <string_view>

#include "command/session/outbox.hpp"
#include "rollcall/log.hpp"

namespace rollcall::serve {

class LogEvents final : public LogSink {
 public:
  /// `all`: not only warnings and missing parts of an answer.
  LogEvents(Outbox& outbox, bool all) : outbox_(outbox), wants_all_(all), started_(std::chrono::steady_clock::now()) {}
  void on_event(const Event& event) noexcept override;
  bool wants_requests() const noexcept override { return wants_all_; }
  /// A record of this session, as JSON.
  void send(std::string_view record);

 private:
  Outbox& outbox_;
  bool wants_all_;
  SteadyTime started_;
  std::uint64_t dropped_ = 0;
};

}  // namespace rollcall::serve
