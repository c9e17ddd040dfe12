// Numbers that follow from a TPU type, and counts.
#include "rollcall/accelerator.hpp"

#include <fmt/format.h>

#include "accelerator/tpu_shape.hpp"
#include "base/python_repr.hpp"
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

Topology AcceleratorType::chips_per_host_bounds() const {
  if (hosts() <= 1) return topology_;
  return Topology({2, 2, 1}, topology_.dimensions());  // slices of several hosts have four chips on each
}

Topology AcceleratorType::host_bounds() const {
  const std::array<int, 3> chips = topology_.extent();
  const std::array<int, 3> host = chips_per_host_bounds().extent();
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

}  // namespace rollcall
