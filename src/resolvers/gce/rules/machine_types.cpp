#include "resolvers/gce/rules/machine_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "accelerator/gpu_model.hpp"
#include "accelerator/tpu_shape.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr int max_in_machine = 1024;

// Series whose names end in the number of GPUs: `a2-highgpu-1g`.
struct GpuSeries {
  std::string_view series;
  std::string_view model;
};
constexpr GpuSeries gpu_series[] = {
    {"a2-highgpu", "A100"}, {"a2-megagpu", "A100"},  {"a2-ultragpu", "A100"}, {"a3-edgegpu", "H100"},   {"a3-highgpu", "H100"},
    {"a3-megagpu", "H100"}, {"a3-ultragpu", "H200"}, {"a4-highgpu", "B200"},  {"a4x-highgpu", "GB200"}, {"a4x-maxgpu", "GB300"},
};

// Series whose names end in the number of CPUs. The small machines of G4 have a part of a GPU, and are not here.
struct GpuSize {
  std::string_view series;
  std::string_view size;
  int count;
  std::string_view model;
};
constexpr GpuSize gpu_sizes[] = {
    {"g2-standard", "4", 1, "L4"},
    {"g2-standard", "8", 1, "L4"},
    {"g2-standard", "12", 1, "L4"},
    {"g2-standard", "16", 1, "L4"},
    {"g2-standard", "32", 1, "L4"},
    {"g2-standard", "24", 2, "L4"},
    {"g2-standard", "48", 4, "L4"},
    {"g2-standard", "96", 8, "L4"},
    {"g4-standard", "48", 1, "RTX PRO 6000"},
    {"g4-standard", "96", 2, "RTX PRO 6000"},
    {"g4-standard", "192", 4, "RTX PRO 6000"},
    {"g4-standard", "384", 8, "RTX PRO 6000"},
};

// Families whose names end in the number of chips: `ct5lp-hightpu-8t`.
struct TpuFamily {
  std::string_view family;
  TpuGeneration generation;
};
constexpr TpuFamily tpu_families[] = {
    {"ct3", TpuGeneration::v3},          {"ct3p", TpuGeneration::v3},  {"ct4p", TpuGeneration::v4},  {"ct5l", TpuGeneration::v5litepod},
    {"ct5lp", TpuGeneration::v5litepod}, {"ct5p", TpuGeneration::v5p}, {"ct6e", TpuGeneration::v6e}, {"tpu7x", TpuGeneration::tpu7x},
};

// Families without accelerators. To N1 GPUs can be attached, which the instance then lists.
constexpr std::string_view plain_families[] = {"c2", "c2d", "c3", "c3d", "c4",  "c4a", "c4d", "custom", "e2",
                                               "f1", "g1",  "h3", "h4d", "m1",  "m2",  "m3",  "m4",     "n1",
                                               "n2", "n2d", "n4", "n4a", "n4d", "t2a", "t2d", "x4",     "z3"};

// A name's parts: `a4-highgpu-8g-lowmem` is family a4, series a4-highgpu, size 8g.
class MachineTypeName {
 public:
  explicit MachineTypeName(std::string_view name) {
    const std::size_t first = std::min(name.find('-'), name.size());
    family = name.substr(0, first);
    if (first == name.size()) return;
    const std::size_t second = std::min(name.find('-', first + 1), name.size());
    series = name.substr(0, second);
    if (second == name.size()) return;
    size = name.substr(second + 1, name.find('-', second + 1) - second - 1);
    is_plain = second + 1 + size.size() == name.size();
  }
  // The number before the unit.
  std::optional<int> number(char unit) const {
    if (size.empty() || size.back() != unit) return std::nullopt;
    return parse_decimal<int>(size.substr(0, size.size() - 1), 1, max_in_machine);
  }
  std::string_view family;
  std::string_view series;
  std::string_view size;
  bool is_plain = false;  // nothing follows the size
};

std::optional<TpuGeneration> generation_of_family(std::string_view family) {
  const auto row =
      std::find_if(std::begin(tpu_families), std::end(tpu_families), [=](const TpuFamily& one) { return one.family == family; });
  return row == std::end(tpu_families) ? std::nullopt : std::optional<TpuGeneration>(row->generation);
}

Accelerators in_machine(std::string_view kind, std::string_view model, int count) {
  Accelerators those(std::string(kind), count, {});
  those.model = model;
  those.is_shared = true;
  return those;
}

Accelerators tpu_chips(TpuGeneration generation, int chips) {
  const TpuGenerationRow& row = row_of(generation);
  return in_machine("TPU", row.name, chips * row.devices_per_chip);
}

std::optional<Accelerators> accelerators_named(std::string_view machine_type) {
  const MachineTypeName name(machine_type);
  if (const std::optional<TpuGeneration> generation = generation_of_family(name.family)) {
    const std::optional<int> chips = name.number('t');
    return chips ? std::optional<Accelerators>(tpu_chips(*generation, *chips)) : std::nullopt;
  }
  for (const GpuSeries& row : gpu_series) {
    if (row.series != name.series) continue;
    const std::optional<int> count = name.number('g');
    return count ? std::optional<Accelerators>(in_machine("GPU", row.model, *count)) : std::nullopt;
  }
  for (const GpuSize& row : gpu_sizes) {
    if (name.is_plain && row.series == name.series && row.size == name.size) return in_machine("GPU", row.model, row.count);
  }
  const bool has_none = std::find(std::begin(plain_families), std::end(plain_families), name.family) != std::end(plain_families);
  return has_none && !name.series.empty() ? std::optional<Accelerators>(in_machine("GPU", {}, 0)) : std::nullopt;
}

// `ct6e`, `tpu-v6e`, `tpu-v6e-slice`, `tpu7x`: the machine type is more exact.
std::optional<TpuGeneration> generation_of_guest(std::string_view type, std::string_view machine_type) {
  if (const auto by_machine = generation_of_family(MachineTypeName(machine_type).family)) return by_machine;
  if (const auto by_family = generation_of_family(type.substr(0, type.find('-')))) return by_family;
  if (!type.starts_with("tpu-")) return std::nullopt;
  type.remove_prefix(4);
  if (type.starts_with("v5-lite")) return TpuGeneration::v5litepod;
  const std::string_view word = type.substr(0, type.find('-'));
  for (const TpuGenerationRow& row : tpu_generations) {
    if (row.name == word) return row.generation;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Accelerators> accelerators_of_machine_type(std::string_view machine_type) {
  std::optional<Accelerators> those = accelerators_named(machine_type);
  if (those) those->source = fmt::format("machine type {}", printable(machine_type, 64));
  return those;
}

std::optional<Accelerators> accelerators_of_guest_type(std::string_view type, int count, std::string_view machine_type) {
  constexpr std::string_view vendor = "nvidia-";
  if (count < 1 || count > max_in_machine) return std::nullopt;
  std::optional<Accelerators> those;
  if (type.size() > vendor.size() && type.starts_with(vendor)) {
    those = in_machine("GPU", printable(gpu_model(type.substr(vendor.size())), 64), count);
  } else if (const std::optional<TpuGeneration> generation = generation_of_guest(type, machine_type);
             generation && (type.starts_with("ct") || type.starts_with("tpu"))) {
    those = tpu_chips(*generation, count);
  }
  if (those) those->source = "guestAccelerators";
  return those;
}

}  // namespace rollcall
