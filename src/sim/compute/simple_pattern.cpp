// Regular expressions without groups, by the C library's, whose matching time is bounded by the size of the automaton.
#include <regex.h>

#include "base/text.hpp"
#include "sim/compute/compute_filter.hpp"

namespace rollcall::sim {

namespace {

// The length of a character class such as `[a-z0-9]` or `[^x]`; 0 for unsupported syntax.
std::size_t class_size(std::string_view text) {
  const std::size_t begin = text.starts_with("[^") ? 2 : 1;
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos || end == begin) return 0;
  return text.substr(begin, end - begin).find_first_of("[\\") == std::string_view::npos ? end + 1 : 0;
}

// Takes an item for one character off `rest`, and returns it in POSIX syntax. None for another item.
std::optional<std::string> take_item(std::string_view& rest) {
  const char c = rest.front();
  std::size_t size = 1;
  std::string out;
  if (c == '[') {
    size = class_size(rest);
    out = rest.substr(0, size);
  } else if (c == '\\') {
    size = rest.size() > 1 && !is_alnum(rest[1]) ? 2 : 0;
    if (size == 2) out = rest[1] == '^' ? std::string("\\^") : std::string("[") + rest[1] + "]";
  } else if (std::string_view("()*+?{}^$]").find(c) == std::string_view::npos) {
    out = c;
  }
  rest.remove_prefix(size);
  if (out.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<SimplePattern> SimplePattern::parse(std::string_view text) {
  constexpr std::size_t max_pattern = 1024;
  if (text.size() > max_pattern || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::string pattern = "^(";
  bool has_item = false;  // a repetition may follow
  while (!text.empty()) {
    const char c = text.front();
    const bool is_repetition = has_item && (c == '*' || c == '+' || c == '?');
    if (c == '|' || is_repetition) {
      pattern += c;
      text.remove_prefix(1);
    } else {
      const auto item = take_item(text);
      if (!item) return std::nullopt;
      pattern += *item;
    }
    has_item = c != '|' && !is_repetition;
  }
  const std::shared_ptr<regex_t> compiled(new regex_t(), [](regex_t* regex) {
    regfree(regex);
    delete regex;
  });
  if (regcomp(compiled.get(), (pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0) return std::nullopt;
  SimplePattern out;
  out.compiled_ = compiled;
  return out;
}

bool SimplePattern::matches(std::string_view text) const {
  regmatch_t whole{0, static_cast<regoff_t>(text.size())};
  return regexec(static_cast<const regex_t*>(compiled_.get()), text.data(), 1, &whole, REG_STARTEND) == 0;
}

}  // namespace rollcall::sim
