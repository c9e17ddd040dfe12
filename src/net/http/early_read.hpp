// Whether a connection is worth a look before the socket has announced anything.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rollcall {

/// Learns from the looks before: where the last two were in vain, only every sixteenth answer is looked for.
class EarlyRead {
 public:
  /// Asked once for each answer that is waited for.
  bool is_worth_it() noexcept { return missed_ < max_missed || ++passed_over_ % 16 == 0; }
  void tell(bool has_found) noexcept { missed_ = has_found ? std::uint8_t{0} : std::min<std::uint8_t>(missed_ + 1u, max_missed); }

 private:
  static constexpr std::uint8_t max_missed = 2;
  std::uint8_t missed_ = 0;       // in a row
  std::uint8_t passed_over_ = 0;  // answers that were not looked for
};

}  // namespace rollcall
