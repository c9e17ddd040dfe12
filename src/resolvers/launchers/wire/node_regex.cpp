#include "resolvers/launchers/wire/node_regex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "cluster/host_lines.hpp"

namespace rollcall {
namespace {

class NodeRegex {
 public:
  NodeRegex(std::string_view text, std::size_t max) : text_(text), rest_(text.substr(0, text.find('@'))), max_(max) {}

  Result<std::vector<std::string>> read() && {
    while (!rest_.empty()) {
      const Result<void> added = add_element();
      if (!added) return added.error();
    }
    if (hosts_.empty()) return fault("it names no host");
    return std::move(hosts_);
  }

 private:
  Failure fault(std::string_view what) const {
    return Failure(Errc::invalid_argument, fmt::format("OMPI_MCA_orte_node_regex is {}: {}", quoted(text_), what));
  }

  // Takes an element up to a comma outside brackets: `PREFIX[WIDTH:N-M,N]SUFFIX` or a name.
  Result<void> add_element() {
    const std::size_t open = rest_.find_first_of(",[");
    if (open == std::string_view::npos || rest_[open] == ',') return add_name(std::string(take(open)));
    const std::size_t close = rest_.find(']', open);
    if (close == std::string_view::npos) return fault("a bracket is not closed");
    const std::string_view prefix = rest_.substr(0, open);
    const std::string_view inside = rest_.substr(open + 1, close - open - 1);
    rest_.remove_prefix(close + 1);
    const std::string_view suffix = take(rest_.find(','));
    const std::size_t colon = inside.find(':');
    const auto width = parse_decimal<std::size_t>(inside.substr(0, std::min(colon, inside.size())), 1, 18);
    if (colon == std::string_view::npos || !width) return fault("a bracket does not begin with the width of its numbers");
    for (const std::string_view range : split(inside.substr(colon + 1), ',')) {
      const Result<void> added = add_range(prefix, range, suffix, *width);
      if (!added) return added;
    }
    return {};
  }

  Result<void> add_range(std::string_view prefix, std::string_view range, std::string_view suffix, std::size_t width) {
    const std::size_t dash = range.find('-');
    constexpr std::uint64_t largest = 999'999'999'999'999'999;
    const auto low = parse_decimal<std::uint64_t>(range.substr(0, dash), 0, largest);
    const auto high = dash == std::string_view::npos ? low : parse_decimal<std::uint64_t>(range.substr(dash + 1), 0, largest);
    if (!low || !high || *high < *low) return fault("a range is not N or N-M");
    if (*high - *low >= max_ - std::min(max_, hosts_.size())) return too_many();
    for (std::uint64_t number = *low; number <= *high; ++number) {
      const Result<void> added = add_name(fmt::format("{}{:0{}}{}", prefix, number, width, suffix));
      if (!added) return added;
    }
    return {};
  }

  Result<void> add_name(std::string name) {
    if (hosts_.size() >= max_) return too_many();
    const Result<std::string> host = read_host(name);
    if (!host) return fault(host.error().what());
    hosts_.push_back(*host);
    return {};
  }

  Failure too_many() const { return Failure(Errc::limit_exceeded, fmt::format("OMPI_MCA_orte_node_regex has more than {} hosts", max_)); }

  // The text up to `end`, and what follows it but one character becomes the rest.
  std::string_view take(std::size_t end) {
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(std::min(rest_.size(), taken.size() + 1));
    return taken;
  }

  std::string_view text_;
  std::string_view rest_;
  std::size_t max_;
  std::vector<std::string> hosts_;
};

}  // namespace

Result<std::vector<std::string>> parse_node_regex(std::string_view text, std::size_t max_hosts) {
  return NodeRegex(text, max_hosts).read();
}

}  // namespace rollcall
