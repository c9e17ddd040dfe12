#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "render/render_topology.hpp"

namespace rollcall {
namespace {

constexpr int cell_height = 34;
constexpr int space = 6;          // between cells, and around them in their panel
constexpr int margin = 16;        // around panels
constexpr int label_height = 20;  // above a panel
constexpr int head_height = 58;
constexpr int usual_width = 1000;
constexpr std::size_t longest_address = 28;  // that is written into its cell; a longer one is shown on hovering only

constexpr std::string_view style =
    "<style>\n"
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1c2430}\n"
    ".head{font-size:16px;font-weight:bold}.small{font-size:10px}.worker{text-anchor:middle}\n"
    ".page{fill:#ffffff}.layer{fill:#f1f4f8;stroke:#8a96a6}.host{fill:#d9e6f7;stroke:#47699b}\n"
    "@media(prefers-color-scheme:dark){text{fill:#e6eaf0}.page{fill:#14181e}.layer{fill:#1d232b;stroke:#6b7788}.host{fill:#27405f;stroke:#"
    "86a9d8}}\n"
    "</style>\n";

// What printable() leaves is text that XML 1.0 takes.
std::string xml(std::string_view text, std::size_t max_bytes = 256) { return escape_markup(printable(text, max_bytes)); }

std::string counted(int n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

class Drawing {
 public:
  explicit Drawing(const TpuLayout& layout) : layout_(layout), hosts_(layout.type.host_bounds()) {
    std::size_t longest = 0;
    for (const std::string& address : layout.workers) longest = std::max(longest, address.size());
    has_addresses_ = longest > 0 && longest <= longest_address;
    cell_width_ = has_addresses_ ? std::max(46, static_cast<int>(longest) * 6 + 12) : 46;
    per_row_ = std::clamp((usual_width - margin) / (panel_width() + margin), 1, hosts_.extent()[2]);
  }

  std::string svg() {
    const int layers = hosts_.extent()[2];
    const int rows = (layers + per_row_ - 1) / per_row_;
    const int width = std::max({560, 2 * margin + 10 * static_cast<int>(heading().size()), margin + per_row_ * (panel_width() + margin)});
    const int height = head_height + rows * (label_height + panel_height() + margin) + margin;
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n", width, height);
    put("<title>{}</title>\n{}<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", heading(), style);
    put("<text class=\"head\" x=\"{}\" y=\"26\">{}</text>\n<text x=\"{}\" y=\"46\">{}</text>\n", margin, heading(), margin, facts());
    for (int z = 0; z < layers; ++z) layer(z);
    put("<text class=\"small\" x=\"{}\" y=\"{}\">workers are taken to be numbered along x (right) first, then y (down), then "
        "z</text>\n</svg>\n",
        margin, height - 12);
    return std::move(out_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Values>(values)...);
  }

  int panel_width() const { return space + hosts_.extent()[0] * (cell_width_ + space); }
  int panel_height() const { return space + hosts_.extent()[1] * (cell_height + space); }

  std::string heading() const {
    return layout_.target.empty() ? layout_.type.name() : fmt::format("{} ({})", xml(layout_.target, 80), layout_.type.name());
  }

  std::string facts() const {
    const AcceleratorType& type = layout_.type;
    return fmt::format("{}, {}, {}, topology {}, host bounds {}", counted(type.chips(), "chip"), counted(type.cores(), "core"),
                       counted(type.hosts(), "host"), type.topology().to_text(), hosts_.to_bounds());
  }

  void layer(int z) {
    const int left = margin + z % per_row_ * (panel_width() + margin);
    const int top = head_height + z / per_row_ * (label_height + panel_height() + margin);
    if (hosts_.extent()[2] > 1) put("<text x=\"{}\" y=\"{}\">z={}</text>\n", left, top + label_height - 6, z);
    put("<rect class=\"layer\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>\n", left, top + label_height, panel_width(),
        panel_height());
    const int first = z * hosts_.extent()[0] * hosts_.extent()[1];
    for (int i = first; i < first + hosts_.extent()[0] * hosts_.extent()[1]; ++i) {
      const auto [x, y, _] = position_of(i, hosts_);
      host(i, left + space + x * (cell_width_ + space), top + label_height + space + y * (cell_height + space),
           fmt::format("x={} y={} z={}", x, y, z));
    }
  }

  void host(int number, int left, int top, std::string_view position) {
    const auto index = static_cast<std::size_t>(number);
    const std::string address = index < layout_.workers.size() ? xml(layout_.workers[index]) : std::string();
    put("<g><title>worker {}, {}{}{}</title><rect class=\"host\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>", number, position,
        address.empty() ? "" : ", ", address, left, top, cell_width_, cell_height);
    const bool shows_address = has_addresses_ && !address.empty();
    put("<text class=\"worker\" x=\"{}\" y=\"{}\">{}</text>", left + cell_width_ / 2, top + (shows_address ? 15 : 21), number);
    if (shows_address) put("<text class=\"worker small\" x=\"{}\" y=\"{}\">{}</text>", left + cell_width_ / 2, top + 28, address);
    put("</g>\n");
  }

  const TpuLayout& layout_;
  Topology hosts_;
  bool has_addresses_ = false;
  int cell_width_ = 0;
  int per_row_ = 1;
  std::string out_;
};

}  // namespace

std::string render_topology_svg(const TpuLayout& layout) { return Drawing(layout).svg(); }

}  // namespace rollcall
