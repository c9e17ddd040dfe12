#include "rollcall/member_label.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {

std::optional<LabelledPlaces> read_member_label(std::string_view label) {
  label = label.substr(0, label.find(" ("));
  const std::size_t blank = std::min(label.rfind(' '), label.size());
  const std::string_view places = label.substr(std::min(blank + 1, label.size()));
  const std::size_t dash = places.find('-');
  const std::optional<int> first = parse_decimal<int>(places.substr(0, dash));
  const std::optional<int> last = dash == std::string_view::npos ? first : parse_decimal<int>(places.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  LabelledPlaces read;
  read.job = label.substr(0, blank);
  read.first = *first;
  read.last = *last;
  return read;
}

}  // namespace rollcall
