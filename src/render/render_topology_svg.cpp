#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "render/host_marks.hpp"
#include "render/render_topology.hpp"

namespace rollcall {
namespace {

constexpr int cell_height = 34;
constexpr int space = 6;          // between cells, and around them in their panel
constexpr int margin = 26;        // around panels
constexpr int label_height = 26;  // above a panel
constexpr int legend_height = 24;
constexpr double usual_aspect = 16.0 / 9.0;
constexpr std::size_t max_address = 28;  // text in its cell; a longer one is only shown as a tooltip

constexpr std::string_view style =
    "<style>\n"
    "text{font:12px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:#1c2430}\n"
    ".head{font-size:16px;font-weight:bold}.small{font-size:10px}.worker{text-anchor:middle}\n"
    ".page{fill:#ffffff}.layer{fill:#f1f4f8;stroke:#8a96a6}.host{fill:#d9e6f7;stroke:#47699b}\n"
    ".link{stroke:#8a96a6;stroke-width:2;fill:none}.wrap{stroke:#47699b;stroke-width:2;fill:#ffffff}\n";

// The output of printable() is valid XML 1.0 text.
std::string xml(std::string_view text, std::size_t max_bytes = 256) { return escape_markup(printable(text, max_bytes)); }

std::string counted(int n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

class Drawing {
 public:
  explicit Drawing(const TpuLayout& layout) : layout_(layout), hosts_(layout.type.host_bounds()), marks_(layout) {
    std::size_t max = 0;
    for (const std::string& address : layout.workers) max = std::max(max, address.size());
    has_addresses_ = max > 0 && max <= max_address;
    constexpr double character = 6.2;  // of the small type, in the widest of its fonts
    cell_width_ = has_addresses_ ? std::max(46, static_cast<int>(static_cast<double>(max) * character) + 16) : 46;
    for (std::size_t axis = 0; axis < 3; ++axis) wraps_[axis] = layout.type.wrap()[axis] && hosts_.extent()[axis] > 1;
    per_row_ = best_per_row();
  }

  std::string svg() {
    const int layers = hosts_.extent()[2];
    const int needed = 2 * margin + std::max({10 * static_cast<int>(heading().size()), 8 * static_cast<int>(facts().size()), 360});
    const int width = std::max(needed, panels_width(per_row_));
    const int height = head_height() + panels_height(per_row_) + 28;
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n", width, height);
    put("<title>{}</title>\n{}{}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", heading(), style, marks_style());
    put("<text class=\"head\" x=\"{}\" y=\"26\">{}</text>\n<text x=\"{}\" y=\"46\">{}</text>\n", margin, heading(), margin, facts());
    legend();
    for (int z = 0; z < layers; ++z) layer(z);
    put("<text class=\"small\" x=\"{}\" y=\"{}\">workers are taken to be numbered along x (right) first, then y (down), then "
        "z</text>\n</svg>\n",
        margin, height - 12);
    return std::move(out_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    append_formatted(out_, form, std::forward<Values>(values)...);
  }

  int panel_width() const { return space + hosts_.extent()[0] * (cell_width_ + space); }
  int panel_height() const { return space + hosts_.extent()[1] * (cell_height + space); }
  int panels_width(int per_row) const { return margin + per_row * (panel_width() + margin); }
  int panels_height(int per_row) const {
    const int rows = (hosts_.extent()[2] + per_row - 1) / per_row;
    return rows * (label_height + panel_height() + margin);
  }
  bool has_wrap() const { return wraps_[0] || wraps_[1] || wraps_[2]; }
  int head_height() const { return 54 + (marks_.kinds().empty() ? 0 : legend_height) + (has_wrap() ? legend_height : 0); }

  // The picture has about the proportions of a screen, and few empty panel positions.
  int best_per_row() const {
    const int layers = hosts_.extent()[2];
    int best = 1;
    double min = 0;
    for (int per_row = 1; per_row <= layers; ++per_row) {
      const int empty = (per_row - layers % per_row) % per_row;
      const double aspect = static_cast<double>(panels_width(per_row)) / (panels_height(per_row) + head_height());
      const double cost = std::abs(std::log(aspect / usual_aspect)) + static_cast<double>(empty) / layers;
      if (per_row > 1 && cost >= min) continue;
      best = per_row;
      min = cost;
    }
    return best;
  }

  std::string heading() const {
    return layout_.target.empty() ? layout_.type.name() : fmt::format("{} ({})", xml(layout_.target, 80), layout_.type.name());
  }

  std::string facts() const {
    const AcceleratorType& type = layout_.type;
    return fmt::format("{}, {}, {}, topology {}, host bounds {}", counted(type.chips(), "chip"), counted(type.cores(), "core"),
                       counted(type.hosts(), "host"), type.topology().to_text(), hosts_.to_bounds());
  }

  void legend() {
    int left = margin;
    int top = 58;
    for (const HostKind kind : marks_.kinds()) {
      const std::string text = xml(fmt::format("{}: {}", marks_.words(kind), marks_.count(kind)));
      put("<svg class=\"{}\"><rect class=\"swatch host\" x=\"{}\" y=\"{}\" width=\"22\" height=\"16\" rx=\"3\"/>", class_of(kind), left,
          top);
      if (!sign_of(kind).empty()) put("<text class=\"worker\" x=\"{}\" y=\"{}\">{}</text>", left + 11, top + 12, sign_of(kind));
      put("</svg><text x=\"{}\" y=\"{}\">{}</text>\n", left + 28, top + 12, text);
      left += 28 + 8 * static_cast<int>(text.size()) + 16;
    }
    if (!marks_.kinds().empty()) top += legend_height;
    if (!has_wrap()) return;
    std::string axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (wraps_[axis]) axes += (axes.empty() ? "" : ", ") + std::string(1, "xyz"[axis]);
    }
    if (wraps_[2]) append_formatted(axes, " (z={} is next to z=0)", hosts_.extent()[2] - 1);
    put("<path class=\"wrap\" d=\"M{} {}h10{}\"/><text x=\"{}\" y=\"{}\">wraps around to the other end: {}</text>\n", margin, top + 8, ring,
        margin + 28, top + 12, axes);
  }

  void layer(int z) {
    const int left = margin + z % per_row_ * (panel_width() + margin);
    const int top = head_height() + z / per_row_ * (label_height + panel_height() + margin) + label_height;
    if (hosts_.extent()[2] > 1) put("<text x=\"{}\" y=\"{}\">z={}</text>\n", left, top - 12, z);
    put("<rect class=\"layer\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>\n", left, top, panel_width(), panel_height());
    links(left + space, top + space);
    const int first = z * hosts_.extent()[0] * hosts_.extent()[1];
    for (int i = first; i < first + hosts_.extent()[0] * hosts_.extent()[1]; ++i) {
      const auto [x, y, _] = position_of(i, hosts_);
      host(i, left + space + x * (cell_width_ + space), top + space + y * (cell_height + space), fmt::format("x={} y={} z={}", x, y, z));
    }
  }

  // From each host to the next along x and y; at the ends of an axis that wraps around, a line that leaves the panel and ends in a ring.
  void links(int left, int top) {
    const auto& [columns, rows, _] = hosts_.extent();
    std::string inner;
    std::string outer;
    for (int y = 0; y < rows; ++y) {
      const int middle = top + y * (cell_height + space) + cell_height / 2;
      for (int x = 1; x < columns; ++x) append_formatted(inner, "M{} {}h{}", left + x * (cell_width_ + space) - space, middle, space);
      if (!wraps_[0]) continue;
      append_formatted(outer, "M{} {}h-10{}", left, middle, ring_left);
      append_formatted(outer, "M{} {}h10{}", left + columns * (cell_width_ + space) - space, middle, ring);
    }
    for (int x = 0; x < columns; ++x) {
      const int middle = left + x * (cell_width_ + space) + cell_width_ / 2;
      for (int y = 1; y < rows; ++y) append_formatted(inner, "M{} {}v{}", middle, top + y * (cell_height + space) - space, space);
      if (!wraps_[1]) continue;
      append_formatted(outer, "M{} {}v-9{}", middle, top, ring_up);
      append_formatted(outer, "M{} {}v9{}", middle, top + rows * (cell_height + space) - space, ring_down);
    }
    if (!inner.empty()) put("<path class=\"link\" d=\"{}\"/>\n", inner);
    if (!outer.empty()) put("<path class=\"wrap\" d=\"{}\"/>\n", outer);
  }

  void host(int number, int left, int top, std::string_view position) {
    const auto index = static_cast<std::size_t>(number);
    const std::string address = index < layout_.workers.size() ? xml(layout_.workers[index]) : std::string();
    const HostKind kind = marks_.kind_of(number);
    const std::string state = kind == HostKind::plain ? std::string() : ", " + xml(marks_.words(kind));
    put("<g class=\"{}\"><title>worker {}, {}{}{}{}</title>", class_of(kind), number, position, address.empty() ? "" : ", ", address,
        state);
    put("<rect class=\"host\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>", left, top, cell_width_, cell_height);
    const bool shows_address = has_addresses_ && !address.empty();
    put("<text class=\"worker\" x=\"{}\" y=\"{}\">{}</text>", left + cell_width_ / 2, top + (shows_address ? 15 : 21), number);
    if (!sign_of(kind).empty()) put("<text class=\"small\" x=\"{}\" y=\"{}\">{}</text>", left + 4, top + 12, sign_of(kind));
    if (shows_address) put("<text class=\"worker small\" x=\"{}\" y=\"{}\">{}</text>", left + cell_width_ / 2, top + 28, address);
    put("</g>\n");
  }

  // Rings at the ends of lines, as parts of a path.
  static constexpr std::string_view ring = "a3 3 0 1 1 6 0a3 3 0 1 1 -6 0";
  static constexpr std::string_view ring_left = "a3 3 0 1 1 -6 0a3 3 0 1 1 6 0";
  static constexpr std::string_view ring_up = "a3 3 0 1 1 0 -6a3 3 0 1 1 0 6";
  static constexpr std::string_view ring_down = "a3 3 0 1 1 0 6a3 3 0 1 1 0 -6";

  const TpuLayout& layout_;
  Topology hosts_;
  HostMarks marks_;
  std::array<bool, 3> wraps_{};
  bool has_addresses_ = false;
  int cell_width_ = 0;
  int per_row_ = 1;
  std::string out_;
};

}  // namespace

std::string render_topology_svg(const TpuLayout& layout) { return Drawing(layout).svg(); }

}  // namespace rollcall
