// An accelerator and its hosts, for people, for programs, and as a picture; pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The subject of the drawing: a type, or one TPU.
class TpuLayout {
 public:
  TpuLayout() {}
  explicit TpuLayout(AcceleratorType accelerator) : type(std::move(accelerator)) {}
  AcceleratorType type;
  std::string target;                ///< empty: only the type
  std::string state;                 ///< of the TPU: `READY`
  std::string health;                ///< of the TPU: `HEALTHY`; may be empty
  MemberState level = MemberState::ready;  ///< derived from state and health, the worse of both
  std::vector<std::string> workers;  ///< addresses in worker order; empty unless READY
};

/// The position of a worker in a grid of hosts. The API does not report it; the usual numbering is assumed: x fastest, then y, then z.
std::array<int, 3> position_of(int worker, const Topology& hosts) noexcept;

/// A line for each fact, the grid of hosts, a line for each worker. ASCII except the texts of target and addresses, whose control
/// characters are escaped. The grid is at most 80 columns and about 100 lines; omitted parts are shown as dots and counted.
std::string render_topology_text(const TpuLayout& layout);

/// One object and a line end; documented in docs/command.md and stable.
std::string render_topology_json(const TpuLayout& layout);

/// A picture of every host with its state, a panel for each z, with the links and those that wrap around: self-contained, without scripts,
/// readable on light and dark backgrounds, with about the proportions of a screen.
std::string render_topology_svg(const TpuLayout& layout);

}  // namespace rollcall
