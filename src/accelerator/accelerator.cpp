// Numbers that follow from a TPU type, and accelerator counts.
#include "rollcall/accelerator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "accelerator/tpu_shape.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"

namespace rollcall {

int AcceleratorCounts::at(std::string_view device_type) const {
  const auto found = counts_.find(device_type);
  return found == counts_.end() ? 0 : found->second;
}

std::string AcceleratorCounts::to_text() const {
  std::string text = "{";
  for (const auto& [type, count] : counts_) text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", python_repr(type), count);
  return text + "}";
}

std::string AcceleratorCounts::to_json() const {
  std::string text = "{";
  for (const auto& [type, count] : counts_) {
    if (text.size() > 1) text += ',';
    append_json_string(text, type);
    text += fmt::format(":{}", count);
  }
  return text + "}";
}

int AcceleratorType::cores() const noexcept { return chips_ * cores_per_chip(); }
int AcceleratorType::devices() const noexcept { return chips_ * devices_per_chip(); }
int AcceleratorType::cores_per_chip() const noexcept { return row_of(generation_).cores_per_chip; }
int AcceleratorType::devices_per_chip() const noexcept { return row_of(generation_).devices_per_chip; }
int AcceleratorType::hbm_gib_per_chip() const noexcept { return row_of(generation_).hbm_gib_per_chip; }

Topology AcceleratorType::host_bounds() const {
  const std::array<int, 3>& chips = topology_.extent();
  const std::array<int, 3>& host = host_.extent();
  return Topology({chips[0] / host[0], chips[1] / host[1], chips[2] / host[2]}, topology_.dimensions());
}

std::array<bool, 3> AcceleratorType::wrap() const noexcept {
  const std::array<int, 3>& side = topology_.extent();
  if (topology_.dimensions() == 3) {
    const bool is_torus = side[0] >= 4 && side[1] >= 4 && side[2] >= 4;
    return {is_torus, is_torus, is_torus};
  }
  const int full = generation_ == TpuGeneration::v3 ? 32 : 16;
  return {side[0] == full, side[1] == full, false};
}

Result<Topology> Topology::parse(std::string_view text) {
  constexpr int max_side = 4096;
  std::array<int, 3> extent{1, 1, 1};
  int dimensions = 0;
  bool is_good = text.size() <= 32;
  for (std::size_t at = 0; is_good && at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    const auto side = parse_decimal<int>(text.substr(at, end - at), 1, max_side);
    is_good = side.has_value() && dimensions < 3;
    if (is_good) extent[static_cast<std::size_t>(dimensions++)] = *side;
    at = end + 1;
  }
  // The product of three sides of 4096 exceeds an int; real machines are far smaller.
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
