// What the library does, told to the client as `log` events. They belong to the session, and are dropped and counted while there is no
// room.
#pragma once

#include <cstdint>
#include <string_view>

#include "command/session/outbox.hpp"
#include "rollcall/log.hpp"

namespace rollcall::serve {

class LogEvents final : public LogSink {
 public:
  /// `all`: not only what an answer lacks, and warnings.
  LogEvents(Outbox& outbox, bool all) : outbox_(outbox), wants_all_(all), started_(std::chrono::steady_clock::now()) {}
  void on_event(const Event& event) noexcept override;
  bool wants_requests() const noexcept override { return wants_all_; }
  /// A record of our own, as JSON.
  void tell(std::string_view record);

 private:
  Outbox& outbox_;
  bool wants_all_;
  SteadyTime started_;
  std::uint64_t dropped_ = 0;
};

}  // namespace rollcall::serve
