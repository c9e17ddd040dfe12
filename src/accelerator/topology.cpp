// Grids of chips or hosts.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "rollcall/accelerator.hpp"

namespace rollcall {

Result<Topology> Topology::parse(std::string_view text) {
  constexpr int longest_side = 4096;
  std::array<int, 3> extent{1, 1, 1};
  int dimensions = 0;
  bool is_good = text.size() <= 32;
  for (std::size_t at = 0; is_good && at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    const auto side = parse_decimal<int>(text.substr(at, end - at), 1, longest_side);
    is_good = side.has_value() && dimensions < 3;
    if (is_good) extent[static_cast<std::size_t>(dimensions++)] = *side;
    at = end + 1;
  }
  // Three sides of 4096 do not fit an int; no machine comes near.
  const long long size = static_cast<long long>(extent[0]) * extent[1] * extent[2];
  if (is_good && dimensions >= 2 && size <= 1 << 30) return Topology(extent, dimensions);
  return Failure(Errc::invalid_argument, fmt::format("invalid topology {}", quoted(text, 64)))
      .with_hint("write it as 4x4 or 4x4x8, sides from 1 to 4096");
}

std::string Topology::to_text() const {
  return dimensions_ == 3 ? fmt::format("{}x{}x{}", extent_[0], extent_[1], extent_[2]) : fmt::format("{}x{}", extent_[0], extent_[1]);
}

std::string Topology::to_bounds() const { return fmt::format("{},{},{}", extent_[0], extent_[1], extent_[2]); }

}  // namespace rollcall
