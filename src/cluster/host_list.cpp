// Parses and expands host lists.
#include "rollcall/host_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_host_name = 255;

class HostRange {
 public:
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::size_t width = 0;  // numbers are padded to it with zeros
};

// `text[1-3,7]`; only the last part of an element may have no bracket.
class HostPart {
 public:
  std::string_view text;
  bool has_bracket = false;
  std::vector<HostRange> ranges;
  std::uint64_t count = 1;
};

// a × b or a + b, limited to 2^63.
constexpr std::uint64_t a_great_many = std::uint64_t{1} << 63;
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? a_great_many : std::min(product, a_great_many);
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? a_great_many : std::min(sum, a_great_many);
}

class HostListReader {
 public:
  HostListReader(std::string_view text, HostListGrammar grammar, std::size_t max_hosts)
      : text_(text), is_strict_(grammar == HostListGrammar::tensorflow), max_hosts_(max_hosts) {}

  Result<std::vector<std::string>> read() {
    for (std::size_t at = 0; at < text_.size();) {
      if (is_separator(text_[at])) {
        // One comma ends an element: a second one means that an element is missing.
        if (is_strict_) return fault("an element is empty");
        ++at;
        continue;
      }
      const Result<std::size_t> end = read_element(at);
      if (!end) return end.error();
      at = *end;
      if (is_strict_ && at < text_.size()) ++at;
    }
    if (count_ > max_hosts_) {
      return Failure(Errc::limit_exceeded, fmt::format("host list {}: more than {} hosts", quoted(text_), max_hosts_));
    }
    std::vector<std::string> hosts;
    hosts.reserve(static_cast<std::size_t>(count_));
    for (const std::vector<HostPart>& element : elements_) spread(element, hosts);
    return hosts;
  }

 private:
  bool is_separator(char c) const { return c == ',' || (!is_strict_ && (c == ' ' || c == '\t' || c == '\n')); }

  Failure fault(std::string_view what) const {
    return Failure(Errc::invalid_argument, fmt::format("host list {}: {}", quoted(text_), what))
        .with_hint(is_strict_ ? "such as n[001-003,7],m1: one bracket for each element, at its end" : "such as n[001-003,7],m1");
  }

  // Returns where the element ends.
  Result<std::size_t> read_element(std::size_t at) {
    std::vector<HostPart> parts;
    std::uint64_t count = 1;
    std::size_t length = 0;
    while (at < text_.size() && !is_separator(text_[at])) {
      if (is_strict_ && !parts.empty()) return fault(text_[at] == '[' ? "a second bracket" : "text after a bracket");
      HostPart part;
      const std::size_t start = at;
      while (at < text_.size() && !is_separator(text_[at]) && text_[at] != '[') {
        const auto c = static_cast<unsigned char>(text_[at]);
        if (c == ']') return fault("a ] without its [");
        if (c <= ' ' || c == 0x7f) return fault("a blank or control character");
        ++at;
      }
      part.text = text_.substr(start, at - start);
      if (at < text_.size() && text_[at] == '[') {
        const std::size_t close = text_.find(']', at);
        if (close == std::string_view::npos) return fault("a [ without its ]");
        const Result<void> read = read_ranges(text_.substr(at + 1, close - at - 1), part);
        if (!read) return read.error();
        at = close + 1;
      }
      count = times(count, part.count);
      length += part.text.size() + max_number(part);
      parts.push_back(std::move(part));
    }
    if (length > max_host_name) return fault(fmt::format("a name of more than {} bytes", max_host_name));
    count_ = plus(count_, count);
    elements_.push_back(std::move(parts));
    return at;
  }

  Result<void> read_ranges(std::string_view inside, HostPart& part) {
    part.has_bracket = true;
    part.count = 0;
    for (const std::string_view piece : split(inside, ',')) {
      const std::size_t dash = std::min(piece.find('-'), piece.size());
      const std::optional<std::uint64_t> low = parse_decimal<std::uint64_t>(piece.substr(0, dash));
      const std::optional<std::uint64_t> high = dash < piece.size() ? parse_decimal<std::uint64_t>(piece.substr(dash + 1)) : low;
      if (!low || !high) return fault(fmt::format("{} is no number and no range of numbers", quoted(piece, 64)));
      if (*high < *low) {
        if (is_strict_) continue;
        return fault(fmt::format("the range {} runs backwards", quoted(piece, 64)));
      }
      part.count = plus(part.count, *high - *low < a_great_many ? *high - *low + 1 : a_great_many);
      part.ranges.push_back({*low, *high, dash});
    }
    return Result<void>();
  }

  static std::size_t max_number(const HostPart& part) {
    std::size_t max = 0;
    for (const HostRange& range : part.ranges) max = std::max({max, range.width, std::to_string(range.high).size()});
    return max;
  }

  static std::vector<std::string> numbers_of(const HostPart& part) {
    std::vector<std::string> numbers;
    if (!part.has_bracket) numbers.emplace_back();
    for (const HostRange& range : part.ranges) {
      for (std::uint64_t i = 0; i <= range.high - range.low; ++i) numbers.push_back(fmt::format("{:0{}}", range.low + i, range.width));
    }
    return numbers;
  }

  // Every combination of the brackets' numbers. The last bracket varies fastest, then the first, the second and so on.
  static void spread(const std::vector<HostPart>& parts, std::vector<std::string>& hosts) {
    std::vector<std::vector<std::string>> numbers;
    std::vector<std::size_t> fastest_first;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      numbers.push_back(numbers_of(parts[i]));
      if (numbers.back().empty()) return;
      if (parts[i].has_bracket) fastest_first.push_back(i);
    }
    if (fastest_first.size() > 1) std::rotate(fastest_first.begin(), fastest_first.end() - 1, fastest_first.end());
    std::vector<std::size_t> at(parts.size(), 0);
    for (;;) {
      std::string name;
      for (std::size_t i = 0; i < parts.size(); ++i) name.append(parts[i].text).append(numbers[i][at[i]]);
      hosts.push_back(std::move(name));
      std::size_t wheel = 0;
      while (wheel < fastest_first.size() && ++at[fastest_first[wheel]] == numbers[fastest_first[wheel]].size())
        at[fastest_first[wheel++]] = 0;
      if (wheel == fastest_first.size()) return;
    }
  }

  std::string_view text_;
  bool is_strict_;
  std::size_t max_hosts_;
  std::uint64_t count_ = 0;
  std::vector<std::vector<HostPart>> elements_;
};

}  // namespace

Result<std::vector<std::string>> expand_host_list(std::string_view text, HostListGrammar grammar, std::size_t max_hosts) {
  return HostListReader(text, grammar, max_hosts).read();
}

Result<std::vector<int>> expand_tasks_per_node(std::string_view text, std::size_t max_nodes) {
  std::vector<int> tasks;
  for (std::string_view element : split(text, ',')) {
    std::optional<std::size_t> nodes = 1;
    const std::size_t bracket = element.find("(x");
    if (bracket != std::string_view::npos && element.ends_with(')')) {
      nodes = parse_decimal<std::size_t>(element.substr(bracket + 2, element.size() - bracket - 3));
      element = element.substr(0, bracket);
    }
    const std::optional<int> number = parse_decimal<int>(element);
    if (!number || !nodes) {
      return Failure(Errc::invalid_argument, fmt::format("tasks per node {}: {}", quoted(text),
                                                         element.empty() ? "an element is empty" : "an element is neither N nor N(xR)"))
          .with_hint("such as 3(x2),2,1");
    }
    if (*nodes > max_nodes - tasks.size()) {
      return Failure(Errc::limit_exceeded, fmt::format("tasks per node {}: more than {} nodes", quoted(text), max_nodes));
    }
    tasks.insert(tasks.end(), *nodes, *number);
  }
  return tasks;
}

}  // namespace rollcall
