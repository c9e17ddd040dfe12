// Speeds as texts that are compared as numbers: `11200 MB/s`.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace rollcall {

inline constexpr std::string_view speed_unit = " MB/s";

/// In millions of bytes.
inline std::string speed_text(std::uint64_t bytes_per_second) { return fmt::format("{}{}", bytes_per_second / 1'000'000, speed_unit); }

/// Millions of bytes a second; nothing: another text.
inline std::optional<std::int64_t> read_speed(std::string_view text) noexcept {
  if (!text.ends_with(speed_unit)) return std::nullopt;
  return parse_decimal<std::int64_t>(text.substr(0, text.size() - speed_unit.size()), 0, 1'000'000'000);
}

}  // namespace rollcall
