// The shapes that a TPU slice may have.
#include "accelerator/tpu_shape.hpp"

#include <algorithm>

namespace rollcall {
namespace {

bool is_power_of_two(int n) noexcept { return n > 0 && (n & (n - 1)) == 0; }

bool has_size(const TpuGenerationRow& row, int chips) noexcept {
  if (chips < 1 || chips > row.max_chips) return false;
  // Single chips are sold only for the "e" generations and tpu7x.
  if (chips == 1) return row.units_per_chip == 1 || row.generation == TpuGeneration::tpu7x;
  if (row.dimensions == 2) return chips >= 4 && is_power_of_two(chips);
  return chips == 4 || chips == 8 || chips == 16 || chips == 32 || chips % 64 == 0;
}

// v2 and v3 have no listed slice of 8 chips, and v2 none of 32; the lists of v4 end at 2048 chips, those of v5p at 6144.
bool is_listed_for(const TpuGenerationRow& row, const TpuSliceRow& slice) noexcept {
  if (slice.dimensions != row.dimensions) return false;
  if (row.generation == TpuGeneration::v2 && slice.chips == 32) return false;
  const bool is_old = row.generation == TpuGeneration::v2 || row.generation == TpuGeneration::v3;
  return !(is_old && slice.chips == 8);
}

// 4a x 4b x 4c with a ≤ b ≤ c, a·b·c = chips / 64 and the smallest a + b + c.
Topology compact_shape(int chips) noexcept {
  const int cubes = chips / 64;
  std::array<int, 3> best{1, 1, cubes};
  for (int a = 1; a * a * a <= cubes; ++a) {
    if (cubes % a != 0) continue;
    for (int b = a; a * b * b <= cubes; ++b) {
      if ((cubes / a) % b != 0) continue;
      const int c = cubes / a / b;
      if (a + b + c < best[0] + best[1] + best[2]) best = {a, b, c};
    }
  }
  return Topology({4 * best[0], 4 * best[1], 4 * best[2]}, 3);
}

}  // namespace

const TpuGenerationRow& row_of(TpuGeneration generation) noexcept {
  for (const TpuGenerationRow& row : tpu_generations) {
    if (row.generation == generation) return row;
  }
  return tpu_generations.front();
}

std::optional<Topology> usual_shape(const TpuGenerationRow& row, int chips, bool& is_listed) noexcept {
  is_listed = false;
  if (!has_size(row, chips)) return std::nullopt;
  for (const TpuSliceRow& slice : tpu_slices) {
    if (slice.dimensions != row.dimensions || slice.chips != chips) continue;
    is_listed = is_listed_for(row, slice);
    return Topology(slice.extent, row.dimensions);
  }
  return compact_shape(chips);  // all two-dimensional sizes are in the table
}

bool is_possible_shape(const TpuGenerationRow& row, const Topology& shape) noexcept {
  const int chips = shape.size();
  if (shape.dimensions() != row.dimensions || !has_size(row, chips)) return false;
  std::array<int, 3> sides = shape.extent();
  if (row.dimensions == 3 && chips >= 64) return std::all_of(sides.begin(), sides.end(), [](int side) { return side % 4 == 0; });
  bool is_listed = false;
  std::array<int, 3> usual = usual_shape(row, chips, is_listed)->extent();
  std::sort(sides.begin(), sides.end());
  std::sort(usual.begin(), usual.end());
  const std::array<int, 3>& given = shape.extent();
  const bool can_hold_hosts = row.dimensions == 2 || chips == 1 || (given[0] % 2 == 0 && given[1] % 2 == 0);
  return sides == usual && can_hold_hosts;
}

bool can_be_filled(const TpuGenerationRow& row, const Topology& shape) noexcept {
  constexpr int max_chips = 65'536;  // several times the largest machine
  const std::array<int, 3>& sides = shape.extent();
  const int chips = shape.size();
  return chips == chips_per_host_of(row, chips) || (chips <= max_chips && sides[0] % 2 == 0 && sides[1] % 2 == 0);
}

int chips_per_host_of(const TpuGenerationRow& row, int chips) noexcept {
  const bool is_whole_on_one = row.units_per_chip == 1 && chips == 8;  // v5litepod-8 and v6e-8: one machine by the TPU API
  return is_whole_on_one ? 8 : std::min(chips, 4);
}

}  // namespace rollcall
