// Decides whether to read from a connection before the socket has signalled readiness.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rollcall {

/// Adapts to earlier results: if the last two early reads found nothing, only every sixteenth answer is tried.
class EarlyRead {
 public:
  /// Called once for each awaited answer.
  bool should_try() noexcept { return missed_ < max_missed || ++passed_over_ % 16 == 0; }
  void note_result(bool has_found) noexcept { missed_ = has_found ? std::uint8_t{0} : std::min<std::uint8_t>(missed_ + 1u, max_missed); }

 private:
  static constexpr std::uint8_t max_missed = 2;
  std::uint8_t missed_ = 0;       // in a row
  std::uint8_t passed_over_ = 0;  // answers without an early read
};

}  // namespace rollcall
