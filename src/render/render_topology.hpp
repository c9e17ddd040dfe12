// An accelerator and its hosts, for people, for programs, and as a picture; pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// What is drawn: a type, or one TPU that was asked for.
class TpuLayout {
 public:
  TpuLayout() {}
  explicit TpuLayout(AcceleratorType accelerator) : type(std::move(accelerator)) {}
  AcceleratorType type;
  std::string target;                ///< empty: the type alone is meant
  std::string state;                 ///< of the TPU: `READY`
  std::string health;                ///< of the TPU: `HEALTHY`; may be empty
  MemberState level = MemberState::ready;  ///< what state and health mean, the worse of both
  std::vector<std::string> workers;  ///< addresses in worker order; empty unless READY
};

/// Where a worker stands in a grid of hosts. The API does not say; the usual numbering is taken: x fastest, then y, then z.
std::array<int, 3> position_of(int worker, const Topology& hosts) noexcept;

/// A line for each fact, the grid of hosts, a line for each worker. ASCII but for what is in target and addresses, whose control
/// characters are escaped. The grid is at most 80 columns and about 100 lines; what is left out shows as dots and is counted.
std::string render_topology_text(const TpuLayout& layout);

/// One object and a line end; documented in docs/command.md and stable.
std::string render_topology_json(const TpuLayout& layout);

/// A picture of every host in its state, a panel for each z, with the links and those that wrap around: self-contained, without scripts,
/// readable on light and dark backgrounds, and about as wide as a screen is for its height.
std::string render_topology_svg(const TpuLayout& layout);

}  // namespace rollcall
