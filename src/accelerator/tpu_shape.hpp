// The shapes that a TPU slice may have.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "rollcall/accelerator.hpp"

namespace rollcall {

struct TpuGenerationRow {
  TpuGeneration generation;
  std::string_view name;         // as in type names
  std::string_view spelling;     // the name without "tpu" and "v": parse() compares it
  std::string_view config_name;  // AcceleratorConfig.Type
  int units_per_chip;            // the unit of the number in a type's name: cores (2 a chip) or chips (1)
  int cores_per_chip;
  int devices_per_chip;          // XLA devices: 1 where two cores act as one (megacore)
  int dimensions;
  int max_chips;                 // of the largest slice
  int hbm_gib_per_chip;
};

inline constexpr std::array<TpuGenerationRow, 7> tpu_generations = {{
    {TpuGeneration::v2, "v2", "2", "V2", 2, 2, 2, 2, 256, 16},
    {TpuGeneration::v3, "v3", "3", "V3", 2, 2, 2, 2, 1024, 32},
    {TpuGeneration::v4, "v4", "4", "V4", 2, 2, 1, 3, 4096, 32},
    {TpuGeneration::v5litepod, "v5litepod", "5litepod", "V5LITE_POD", 1, 1, 1, 2, 256, 16},
    {TpuGeneration::v5p, "v5p", "5p", "V5P", 2, 2, 1, 3, 6144, 95},
    {TpuGeneration::v6e, "v6e", "6e", "V6E", 1, 1, 1, 2, 256, 32},
    {TpuGeneration::tpu7x, "tpu7x", "7x", "TPU7X", 2, 2, 2, 3, 9216, 192},
}};

// Other spellings in use for the same generation.
struct TpuAlias {
  std::string_view spelling;
  TpuGeneration generation;
};
inline constexpr std::array<TpuAlias, 2> tpu_aliases = {{{"5e", TpuGeneration::v5litepod}, {"5lite", TpuGeneration::v5litepod}}};

// The usual shape for a number of chips; z is 1 in two dimensions.
struct TpuSliceRow {
  int dimensions;
  int chips;
  std::array<int, 3> extent;
};

inline constexpr std::array<TpuSliceRow, 26> tpu_slices = {{
    {2, 1, {1, 1, 1}},       {2, 4, {2, 2, 1}},     {2, 8, {2, 4, 1}},      {2, 16, {4, 4, 1}},      {2, 32, {4, 8, 1}},
    {2, 64, {8, 8, 1}},      {2, 128, {8, 16, 1}},  {2, 256, {16, 16, 1}},  {2, 512, {16, 32, 1}},   {2, 1024, {32, 32, 1}},
    {3, 1, {1, 1, 1}},       {3, 4, {2, 2, 1}},     {3, 8, {2, 2, 2}},      {3, 16, {2, 2, 4}},      {3, 32, {2, 4, 4}},
    {3, 64, {4, 4, 4}},      {3, 128, {4, 4, 8}},   {3, 192, {4, 4, 12}},   {3, 256, {4, 8, 8}},     {3, 512, {8, 8, 8}},
    {3, 768, {8, 8, 12}},    {3, 1024, {8, 8, 16}}, {3, 2048, {8, 16, 16}}, {3, 4096, {16, 16, 16}}, {3, 6144, {16, 16, 24}},
    {3, 9216, {16, 24, 24}},
}};

const TpuGenerationRow& row_of(TpuGeneration generation) noexcept;

/// The usual shape for this number of chips; `is_listed` is set if the table has it. Absent: no slice has that size.
std::optional<Topology> usual_shape(const TpuGenerationRow& row, int chips, bool& is_listed) noexcept;

/// True if a slice of the generation may have this shape; sides may be in any order.
bool is_possible_shape(const TpuGenerationRow& row, const Topology& shape) noexcept;

/// True if whole hosts fill the shape, which need not be in the table.
bool can_be_filled(const TpuGenerationRow& row, const Topology& shape) noexcept;

/// Chips per virtual machine in a slice with this number of chips.
int chips_per_host_of(const TpuGenerationRow& row, int chips) noexcept;

}  // namespace rollcall
