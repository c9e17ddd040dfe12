// Parses the name of a TPU type.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "accelerator/tpu_shape.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

Failure bad_type(std::string_view text, std::string_view fault) {
  return Failure(Errc::invalid_argument, fmt::format("invalid accelerator type {}: {}", quoted(text, 64), fault))
      .with_hint("write it as v5litepod-256, v4-32, tpu7x-128, or with a topology as v4-4x4x8");
}

// The generation in `5litepod`; `v` and `tpu` are removed already.
std::optional<TpuGeneration> find_generation(std::string_view spelling) noexcept {
  for (const TpuGenerationRow& row : tpu_generations) {
    if (equals_ignoring_case(spelling, row.spelling)) return row.generation;
  }
  for (const TpuAlias& alias : tpu_aliases) {
    if (equals_ignoring_case(spelling, alias.spelling)) return alias.generation;
  }
  return std::nullopt;
}

std::string known_generations() {
  std::string names;
  for (const TpuGenerationRow& row : tpu_generations) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

// `v5litepod` without its "tpu" and "v"; empty if it does not have the form of a generation: (tpu)?v?digits letters, with one of the two.
std::string_view spelling_of(std::string_view generation) noexcept {
  std::string_view rest = generation;
  if (equals_ignoring_case(rest.substr(0, 3), "tpu")) rest.remove_prefix(3);
  if (!rest.empty() && to_lower(rest.front()) == 'v') rest.remove_prefix(1);
  std::size_t at = 0;
  while (at < rest.size() && is_digit(rest[at])) ++at;
  if (at == 0 || rest.size() == generation.size()) return {};
  while (at < rest.size() && is_alpha(rest[at])) ++at;
  return at == rest.size() ? rest : std::string_view();
}

std::string size_rule(const TpuGenerationRow& row) {
  const int max = row.max_chips * row.units_per_chip;
  const std::string_view unit = row.units_per_chip == 1 ? "chips" : "cores, two to a chip";
  if (row.units_per_chip == 1) return fmt::format("{} comes with 1, 4, 8, 16, 32, 64, 128 or 256 chips", row.name);
  if (row.dimensions == 2) return fmt::format("the number counts {}; {} comes with 8, 16, 32, … {}, powers of two", unit, row.name, max);
  return fmt::format("the number counts {}; {} comes with {}8, 16, 32, 64, or a multiple of 128 up to {}", unit, row.name,
                     row.generation == TpuGeneration::tpu7x ? "2, " : "", max);
}

}  // namespace

std::string_view to_string(TpuGeneration generation) noexcept { return row_of(generation).name; }

Result<AcceleratorType> AcceleratorType::from_topology(std::string_view text, TpuGeneration generation, std::string_view topology,
                                                       Shapes accepted) {
  const Result<Topology> shape = Topology::parse(topology);
  if (!shape) return bad_type(text, fmt::format("{} is not a topology", quoted(topology, 64)));
  const TpuGenerationRow& row = row_of(generation);
  if (shape->dimensions() != row.dimensions) {
    return bad_type(text, fmt::format("a {} topology has {} dimensions", row.name, row.dimensions));
  }
  if (!(accepted == Shapes::of_service ? can_be_filled(row, *shape) : is_possible_shape(row, *shape))) {
    return bad_type(text,
                    fmt::format("no {} slice has the shape {} ({} chips): {}", row.name, shape->to_text(), shape->size(), size_rule(row)));
  }
  AcceleratorType type;
  type.name_ = fmt::format("{}-{}", row.name, shape->size() * row.units_per_chip);
  type.generation_ = generation;
  type.chips_ = shape->size();
  type.chips_per_host_ = chips_per_host_of(row, type.chips_);
  type.is_topology_certain_ = true;
  type.topology_ = *shape;
  type.host_ = type.hosts() > 1 ? Topology({2, 2, 1}, row.dimensions) : *shape;  // slices of several hosts have four chips on each
  return type;
}

Result<AcceleratorType> AcceleratorType::parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (text.size() > 64 || dash == std::string_view::npos) return bad_type(text, "it is not a generation, a dash and a size");
  const std::string_view spelling = spelling_of(text.substr(0, dash));
  const std::string_view size = text.substr(dash + 1);
  if (spelling.empty()) return bad_type(text, fmt::format("{} is not a generation", quoted(text.substr(0, dash))));
  if (size.empty() || size.find_first_not_of("0123456789x") != std::string_view::npos) {
    return bad_type(text, fmt::format("{} is neither a number nor a topology", quoted(size)));
  }
  const std::optional<TpuGeneration> generation = find_generation(spelling);
  if (!generation) {
    return Failure(Errc::not_found, fmt::format("unknown TPU generation in accelerator type {}", quoted(text, 64)))
        .with_hint("known generations are " + known_generations());
  }
  if (size.find('x') != std::string_view::npos) return from_topology(text, *generation, size);

  const TpuGenerationRow& row = row_of(*generation);
  const auto units = parse_decimal<int>(size, 1);
  const int max = row.max_chips * row.units_per_chip;
  if (size.find_first_not_of('0') == std::string_view::npos) return bad_type(text, "the size is zero");
  if (!units || *units > max) return bad_type(text, fmt::format("the largest slice is {}-{}", row.name, max));
  if (*units % row.units_per_chip != 0) return bad_type(text, fmt::format("{} is not a whole number of chips: {}", *units, size_rule(row)));
  bool is_listed = false;
  const int chips = *units / row.units_per_chip;
  const std::optional<Topology> shape = usual_shape(row, chips, is_listed);
  if (!shape) return bad_type(text, fmt::format("there is no such size: {}", size_rule(row)));
  Result<AcceleratorType> type = from_topology(text, *generation, shape->to_text());
  if (type) type->is_topology_certain_ = is_listed && (row.dimensions == 2 || chips <= 8);
  return type;
}

Result<AcceleratorType> AcceleratorType::from_config(std::string_view type, std::string_view topology) {
  std::string text = fmt::format("{} {}", printable(type, 64), printable(topology, 64));
  for (const TpuGenerationRow& row : tpu_generations) {
    if (equals_ignoring_case(type, row.config_name)) return from_topology(text, row.generation, topology, Shapes::of_service);
  }
  const std::string_view spelling = type.size() <= 64 ? spelling_of(type) : std::string_view();
  if (const auto generation = find_generation(spelling)) return from_topology(text, *generation, topology, Shapes::of_service);
  return Failure(Errc::not_found, fmt::format("unknown TPU type {} in an accelerator configuration", quoted(type, 64)))
      .with_hint("known generations are " + known_generations());
}

Result<AcceleratorType> AcceleratorType::on_hosts(int hosts) const {
  if (hosts == this->hosts()) return *this;
  if (row_of(generation_).units_per_chip == 1 && chips_ == 8 && hosts == 1) return with_host(topology_);
  if (row_of(generation_).units_per_chip == 1 && chips_ == 8 && hosts == 2) return with_host(Topology({2, 2, 1}, 2));
  return Failure(Errc::conflict, fmt::format("{} has {} host{}, not {}", name_, this->hosts(), this->hosts() == 1 ? "" : "s", hosts));
}

Result<AcceleratorType> AcceleratorType::with_host(const Topology& chips_per_host) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (topology_.extent()[axis] % chips_per_host.extent()[axis] == 0) continue;
    return Failure(Errc::conflict, fmt::format("hosts of {} chips do not fill the topology {} of {}", chips_per_host.to_bounds(),
                                               topology_.to_text(), name_));
  }
  AcceleratorType type = *this;
  type.host_ = Topology(chips_per_host.extent(), topology_.dimensions());
  type.chips_per_host_ = chips_per_host.size();
  return type;
}

}  // namespace rollcall
