// Accelerator counts with their origin, and the hardware that the name of a TPU type describes.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// Where a count came from.
enum class CountSource {
  given,             ///< set by the caller
  devices,           ///< the workers' own list of devices
  accelerator_type,  ///< computed from the type's name by the topology table
};
std::string_view to_string(CountSource source) noexcept;  // "given", "devices", "accelerator type"

/// Accelerators per host by device type, such as {"TPU": 8}. The types are those of TensorFlow's devices.
class AcceleratorCounts {
 public:
  AcceleratorCounts() {}
  AcceleratorCounts(std::map<std::string, int, std::less<>> counts, CountSource source) : counts_(std::move(counts)), source_(source) {}
  /// 0 for a type that is not listed.
  int at(std::string_view device_type) const;
  const std::map<std::string, int, std::less<>>& counts() const noexcept { return counts_; }
  CountSource source() const noexcept { return source_; }
  std::string to_text() const;  ///< `{'GPU': 4, 'TPU': 8}`
  std::string to_json() const;  ///< `{"TPU":8}`
  friend bool operator==(const AcceleratorCounts&, const AcceleratorCounts&) = default;

 private:
  std::map<std::string, int, std::less<>> counts_;
  CountSource source_ = CountSource::given;
};

/// The generations of TPUs whose types can be read.
enum class TpuGeneration { v2, v3, v4, v5litepod, v5p, v6e, tpu7x };
std::string_view to_string(TpuGeneration generation) noexcept;  // as in type names: "v5litepod"

/// A grid of chips or hosts, `4x4` or `4x4x8`; a two-dimensional grid has z = 1.
class Topology {
 public:
  Topology() {}
  Topology(std::array<int, 3> extent, int dimensions) : extent_(extent), dimensions_(dimensions) {}
  /// `AxB` or `AxBxC`, each 1 … 4096. Errors: invalid_argument.
  static Result<Topology> parse(std::string_view text);
  const std::array<int, 3>& extent() const noexcept { return extent_; }
  int dimensions() const noexcept { return dimensions_; }  ///< 2 or 3
  int size() const noexcept { return extent_[0] * extent_[1] * extent_[2]; }
  std::string to_text() const;    ///< `4x4` or `4x4x8`
  std::string to_bounds() const;  ///< `4,4,1`, as TPU_HOST_BOUNDS spells it
  friend bool operator==(const Topology&, const Topology&) = default;

 private:
  std::array<int, 3> extent_{1, 1, 1};
  int dimensions_ = 2;
};

/// A TPU type, parsed from its name: `v5litepod-256`, `v4-32`, `tpu7x-128`, or from a topology: `v4-4x4x8`, `v6e-4x8`.
/// Source of the numbers: cloud.google.com/tpu/docs per generation; one table in accelerator/tpu_table.hpp.
class AcceleratorType {
 public:
  AcceleratorType() {}
  /// Sizes that Google lists get their usual shape. Other sizes are accepted where the generation's rules allow a shape: two-dimensional
  /// slices of v2 and v3 with a power of two of chips; three-dimensional ones with a multiple of 64 chips (the most compact shape whose
  /// sides are multiples of 4). Errors: invalid_argument naming the text and what is accepted; not_found for a well-formed name of an
  /// unknown generation.
  static Result<AcceleratorType> parse(std::string_view text);
  /// A shape that a service gives: `V5LITE_POD` (or `v5litepod`) and `4x4`. Shapes that the table lacks are accepted, as far as whole hosts
  /// fill them, since a service knows its sizes better. Errors: as parse().
  static Result<AcceleratorType> from_config(std::string_view type, std::string_view topology);
  /// The same slice on so many hosts, as a list of its workers has: eight chips of v5litepod and v6e are one host of eight or two of four
  /// [facts: tpu-bounds]. Errors: conflict.
  Result<AcceleratorType> on_hosts(int hosts) const;
  /// The same slice where each host has these chips. Errors: conflict (such hosts do not fill the topology).
  Result<AcceleratorType> with_host(const Topology& chips_per_host) const;

  const std::string& name() const noexcept { return name_; }  ///< canonical `v4-32`
  TpuGeneration generation() const noexcept { return generation_; }
  int chips() const noexcept { return chips_; }
  int cores() const noexcept;  ///< TensorCores
  int devices() const noexcept;  ///< XLA devices, as a runtime lists them
  int hosts() const noexcept { return chips_ / chips_per_host_; }
  int chips_per_host() const noexcept { return chips_per_host_; }
  int cores_per_chip() const noexcept;
  int devices_per_chip() const noexcept;
  int devices_per_host() const noexcept { return devices_per_chip() * chips_per_host_; }
  int hbm_gib_per_chip() const noexcept;
  const Topology& topology() const noexcept { return topology_; }  ///< in chips
  const Topology& chips_per_host_bounds() const noexcept { return host_; }
  Topology host_bounds() const;  ///< topology in hosts
  /// False if the name alone does not determine the shape (v4-32 may be 2x2x4 or another): topology() is then the usual one. True if a
  /// topology was given, for listed two-dimensional sizes, and for at most two hosts in three dimensions.
  bool is_topology_certain() const noexcept { return is_topology_certain_; }
  /// The axes that wrap around (torus links): v4, v5p and tpu7x all or none, all if every side is at least 4; v5litepod and v6e those of 16
  /// chips; v2 and v3 those that span the whole pod.
  std::array<bool, 3> wrap() const noexcept;

 private:
  enum class Shapes { of_table, of_service };
  static Result<AcceleratorType> from_topology(std::string_view text, TpuGeneration generation, std::string_view topology,
                                               Shapes accepted = Shapes::of_table);

  std::string name_;
  TpuGeneration generation_ = TpuGeneration::v2;
  int chips_ = 0;
  int chips_per_host_ = 1;
  bool is_topology_certain_ = false;
  Topology topology_;
  Topology host_;  // chips of a host
};

/// The listed type that is nearest to an invalid name. If the generation is valid, the nearest in size (`v4-30`: `v4-32`), otherwise the
/// nearest in spelling; none when nothing is near.
std::optional<std::string> nearest_type(std::string_view text);

}  // namespace rollcall
