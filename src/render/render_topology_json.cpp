#include <fmt/format.h>

#include <iterator>

#include "json/json_text.hpp"
#include "render/render_topology.hpp"

namespace rollcall {

std::string render_topology_json(const TpuLayout& layout) {
  const AcceleratorType& type = layout.type;
  std::string out = "{";
  const auto raw = [&out](std::string_view name, const auto& value) { fmt::format_to(std::back_inserter(out), ",\"{}\":{}", name, value); };
  const auto grid = [&raw](std::string_view name, const Topology& bounds) {
    raw(name, fmt::format("[{}]", fmt::join(bounds.extent(), ",")));
  };
  append_json_field(out, "type", type.name());
  append_json_field(out, "generation", to_string(type.generation()));
  raw("chips", type.chips());
  raw("cores", type.cores());
  raw("devices", type.devices());
  raw("hosts", type.hosts());
  append_json_field(out, "topology", type.topology().to_text());
  raw("topology_certain", type.is_topology_certain());
  raw("chips_per_host", type.chips_per_host());
  grid("chips_per_host_bounds", type.chips_per_host_bounds());
  grid("host_bounds", type.host_bounds());
  raw("wrap", fmt::format("[{}]", fmt::join(type.wrap(), ",")));
  raw("hbm_gib_per_chip", type.hbm_gib_per_chip());
  append_json_field(out, "target", layout.target);
  append_json_field(out, "state", layout.state);
  out += ",\"workers\":[";
  for (std::size_t i = 0; i < layout.workers.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}{{\"index\":{}", i > 0 ? "," : "", i);
    append_json_field(out, "address", layout.workers[i]);
    out += '}';
  }
  return out + "]}\n";
}

}  // namespace rollcall
