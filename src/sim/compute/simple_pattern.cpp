// Regular expressions without groups, matched in time linear in both texts.
#include "base/text.hpp"
#include "sim/compute/compute_filter.hpp"

namespace rollcall::sim {

namespace {

constexpr std::size_t max_pattern = 1024;

std::size_t byte_of(char c) { return static_cast<unsigned char>(c); }

// `a-z0-9]` behind the opening bracket, taken off.
bool take_class(std::string_view& rest, std::bitset<256>& bytes) {
  const bool is_negated = rest.starts_with('^');
  if (is_negated) rest.remove_prefix(1);
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos || end == 0) return false;
  for (std::size_t i = 0; i < end; ++i) {
    if (rest[i] == '[' || rest[i] == '\\') return false;
    const bool is_range = i + 2 < end && rest[i + 1] == '-';
    const std::size_t last = byte_of(is_range ? rest[i + 2] : rest[i]);
    if (last < byte_of(rest[i])) return false;
    for (std::size_t byte = byte_of(rest[i]); byte <= last; ++byte) bytes.set(byte);
    if (is_range) i += 2;
  }
  rest.remove_prefix(end + 1);
  if (is_negated) bytes.flip();
  return true;
}

}  // namespace

std::optional<SimplePattern::Item> SimplePattern::parse_item(std::string_view& rest) {
  Item item;
  const char c = rest.front();
  rest.remove_prefix(1);
  if (c == '.') {
    item.bytes.set();
  } else if (c == '[') {
    if (!take_class(rest, item.bytes)) return std::nullopt;
  } else if (c == '\\') {
    if (rest.empty() || is_alnum(rest.front())) return std::nullopt;
    item.bytes.set(byte_of(rest.front()));
    rest.remove_prefix(1);
  } else if (std::string_view("()*+?{}^$]").find(c) != std::string_view::npos) {
    return std::nullopt;
  } else {
    item.bytes.set(byte_of(c));
  }
  if (!rest.empty() && (rest.front() == '*' || rest.front() == '+' || rest.front() == '?')) {
    item.may_lack = rest.front() != '+';
    item.may_repeat = rest.front() != '?';
    rest.remove_prefix(1);
  }
  return item;
}

std::optional<SimplePattern> SimplePattern::parse(std::string_view text) {
  if (text.size() > max_pattern) return std::nullopt;
  SimplePattern pattern;
  pattern.alternatives_.emplace_back();
  while (!text.empty()) {
    if (text.front() == '|') {
      pattern.alternatives_.emplace_back();
      text.remove_prefix(1);
      continue;
    }
    auto item = parse_item(text);
    if (!item) return std::nullopt;
    pattern.alternatives_.back().push_back(*item);
  }
  return pattern;
}

bool SimplePattern::matches(std::string_view text) const {
  for (const std::vector<Item>& items : alternatives_) {
    // reached[i]: the text so far can be what the first i items stand for.
    std::vector<bool> reached(items.size() + 1);
    reached[0] = true;
    const auto skip = [&] {
      for (std::size_t i = 0; i < items.size(); ++i) reached[i + 1] = reached[i + 1] || (reached[i] && items[i].may_lack);
    };
    skip();
    for (const char c : text) {
      std::vector<bool> next(items.size() + 1);
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].bytes.test(byte_of(c))) next[i + 1] = reached[i] || (reached[i + 1] && items[i].may_repeat);
      }
      reached = std::move(next);
      skip();
    }
    if (reached.back()) return true;
  }
  return false;
}

}  // namespace rollcall::sim
