#include <fmt/format.h>

#include <algorithm>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"
#include "render/render_topology.hpp"

namespace rollcall {
namespace {

constexpr int max_columns = 80;
constexpr int max_lines = 100;
constexpr int gap = -1;

// The positions along one side that are drawn: all, or the first ones, a gap and the last one.
std::vector<int> shown(int side, int max) {
  std::vector<int> places;
  for (int i = 0; i < side; ++i) {
    if (side <= max || i < max - 2 || i == side - 1) {
      places.push_back(i);
    } else if (i == max - 2) {
      places.push_back(gap);
    }
  }
  return places;
}

class HostGrid {
 public:
  explicit HostGrid(const Topology& hosts) : hosts_(hosts), digits_(static_cast<int>(std::to_string(hosts.size() - 1).size())) {
    const auto& [x, y, z] = hosts.extent();
    xs_ = shown(x, (max_columns - 3) / (digits_ + 1));
    ys_ = shown(y, 16);
    per_band_ = std::max(1, (max_columns + 2) / (width() + 2));
    zs_ = shown(z, std::max(3, per_band_ * (max_lines / (height() + 1))));
  }

  std::string text() const {
    std::string out;
    for (std::size_t first = 0; first < zs_.size(); first += static_cast<std::size_t>(per_band_)) {
      const std::size_t last = std::min(zs_.size(), first + static_cast<std::size_t>(per_band_));
      if (first > 0) out += '\n';
      for (int line = hosts_.extent()[2] > 1 ? -1 : 0; line < height() - 1; ++line) {
        std::string row;
        for (std::size_t i = first; i < last; ++i) row += (i > first ? "  " : "") + piece(zs_[i], line);
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + '\n';
      }
    }
    return out;
  }

  int omitted() const {
    const auto count = [](const std::vector<int>& places) {
      return static_cast<int>(places.size() - std::count(places.begin(), places.end(), gap));
    };
    return hosts_.size() - count(xs_) * count(ys_) * count(zs_);
  }

 private:
  int width() const { return static_cast<int>(xs_.size()) * (digits_ + 1) + 3; }
  int height() const { return static_cast<int>(ys_.size()) + 3; }  // two of frame, one of label

  // One line of one layer; -1 is its label.
  std::string piece(int z, int line) const {
    if (z == gap) return line == -1 ? "..." : "   ";
    if (line == -1) return fmt::format("{:<{}}", fmt::format("z={}", z), width());
    if (line == 0 || line == height() - 2) return "+" + std::string(static_cast<std::size_t>(width() - 2), '-') + "+";
    const int y = ys_[static_cast<std::size_t>(line - 1)];
    std::string out = "|";
    for (const int x : xs_) {
      const std::string cell = x == gap || y == gap ? std::string(digits_ > 1 ? ".." : ".") : fmt::format("{}", number(x, y, z));
      out += fmt::format(" {:>{}}", cell, digits_);
    }
    return out + " |";
  }

  int number(int x, int y, int z) const { return x + hosts_.extent()[0] * (y + hosts_.extent()[1] * z); }

  Topology hosts_;
  int digits_;
  int per_band_;
  std::vector<int> xs_, ys_, zs_;
};

std::string wrapped_axes(const AcceleratorType& type) {
  std::string axes;
  for (std::size_t i = 0; i < 3; ++i) {
    if (type.wrap()[i]) axes += (axes.empty() ? "" : ", ") + std::string(1, "xyz"[i]);
  }
  return axes.empty() ? "no axis" : axes;
}

std::string hosts_text(const TpuLayout& layout) {
  const int hosts = layout.type.hosts();
  const std::size_t workers = layout.workers.size();
  if (workers == 0 || workers == static_cast<std::size_t>(hosts)) return fmt::format("{}", hosts);
  return fmt::format("{} by the type; the TPU lists {} {}", hosts, workers, workers == 1 ? "worker" : "workers");
}

}  // namespace

std::array<int, 3> position_of(int worker, const Topology& hosts) noexcept {
  const auto& [x, y, z] = hosts.extent();
  return {worker % x, worker / x % y, worker / x / y};
}

std::string render_topology_text(const TpuLayout& layout) {
  const AcceleratorType& type = layout.type;
  std::string out;
  const auto line = [&out](std::string_view name, const std::string& value) { append_formatted(out, "{:<15} {}\n", name, value); };
  if (!layout.target.empty()) line("target", printable(layout.target));
  if (!layout.target.empty()) line("state", layout.state.empty() ? "not given" : printable(layout.state, 64));
  line("type", type.name());
  line("chips", fmt::format("{}, {} GiB each", type.chips(), type.hbm_gib_per_chip()));
  line("cores", fmt::format("{}", type.cores()));
  line("devices", fmt::format("{}", type.devices()));
  line("hosts", hosts_text(layout));
  line("topology", fmt::format("{}{}", type.topology().to_text(),
                               type.is_topology_certain() ? "" : " (the usual one; the type alone leaves others open)"));
  line("wraps around", wrapped_axes(type));
  line("chips per host", fmt::format("{} ({})", type.chips_per_host(), type.chips_per_host_bounds().to_bounds()));
  line("host bounds", type.host_bounds().to_bounds());
  const HostGrid grid(type.host_bounds());
  out += "\n" + grid.text();
  if (grid.omitted() > 0) append_formatted(out, "{} of {} hosts are not drawn; --svg draws all\n", grid.omitted(), type.hosts());
  if (type.hosts() > 1) out += "workers are taken to be numbered along x first, then y, then z\n";
  if (!layout.workers.empty()) out += '\n';
  const std::size_t digits = std::to_string(layout.workers.size() - 1).size();
  for (std::size_t i = 0; i < layout.workers.size(); ++i)
    append_formatted(out, "worker {:>{}} {}\n", i, digits, printable(layout.workers[i]));
  return out;
}

std::string render_topology_json(const TpuLayout& layout) {
  const AcceleratorType& type = layout.type;
  std::string out = "{";
  const auto raw = [&out](std::string_view name, const auto& value) { append_formatted(out, ",\"{}\":{}", name, value); };
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
    append_formatted(out, "{}{{\"index\":{}", i > 0 ? "," : "", i);
    append_json_field(out, "address", layout.workers[i]);
    out += '}';
  }
  return out + "]}\n";
}

}  // namespace rollcall
