#include "call/token_mask.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view token_stars = "***";
constexpr std::size_t max_escape = 8;  // &#x0041;

constexpr int max_ascii = 0x7f;
constexpr std::size_t max_entity_digits = 4;

class Entity {
 public:
  std::string_view name;
  char letter;
};
constexpr std::array<Entity, 5> entities{{{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};

// The number that those digits form; -1: they are none.
int number_of(std::string_view digits, int base) {
  int number = digits.empty() ? -1 : 0;
  for (const char c : digits) number = number < 0 || hex_value(c) < 0 || hex_value(c) >= base ? -1 : number * base + hex_value(c);
  return number;
}

// Decodes the escape at the beginning of `text`: its byte, or zero for a non-ASCII character, and the escape's size; size 0: there is no
// escape.
class Escape {
 public:
  explicit Escape(std::string_view text) {
    if (text.empty()) return;
    if (text[0] == '\\') {
      take_json(text);
    } else if (text[0] == '%' && text.size() > 2) {
      const int byte = number_of(text.substr(1, 2), 16);
      if (byte < 0) return;
      letter = static_cast<char>(byte);
      size = 3;
    } else if (text[0] == '&') {
      take_entity(text);
    }
  }
  char letter = '\0';
  std::size_t size = 0;

 private:
  void take(int code, std::size_t bytes) {
    if (code < 0) return;
    letter = code <= max_ascii ? static_cast<char>(code) : '\0';
    size = bytes;
  }
  void take_json(std::string_view text) {
    constexpr std::size_t of_number = 6;  // \u0041
    if (text.size() < 2) return;
    if (std::string_view("\"\\/").find(text[1]) != std::string_view::npos) {
      take(text[1], 2);
    } else if (std::string_view("bfnrt").find(text[1]) != std::string_view::npos) {
      take(0, 2);
    } else if (text[1] == 'u' && text.size() >= of_number) {
      take(number_of(text.substr(2, 4), 16), of_number);
    }
  }
  void take_entity(std::string_view text) {
    const std::size_t end = text.substr(0, max_escape).find(';');
    if (end == std::string_view::npos) return;
    const std::string_view whole = text.substr(0, end + 1);
    if (whole[1] != '#') {
      for (const Entity& one : entities) {
        if (whole == one.name) take(one.letter, whole.size());
      }
      return;
    }
    const bool is_hex = whole[2] == 'x' || whole[2] == 'X';
    const std::string_view digits = text.substr(0, end).substr(std::min<std::size_t>(is_hex ? 3 : 2, end));
    if (digits.size() <= max_entity_digits) take(number_of(digits, is_hex ? 16 : 10), whole.size());
  }
};

// True if a backslash stands before a `u` or before `other` in the block. Without branches, so that the compiler can vectorise it.
constexpr std::size_t escape_block = 64;
bool has_pair(const char* at, char other) {
  unsigned char any = 0;
  for (std::size_t i = 0; i < escape_block; ++i)
    any |= static_cast<unsigned char>((at[i] == '\\') & ((at[i + 1] == 'u') | (at[i + 1] == other)));
  return any != 0;
}

// The same for escapes that begin with a percent sign or an ampersand; most documents have few.
bool has_escaped_letter(const TokenTable& table, std::string_view text, char start) {
  for (std::size_t at = text.find(start); at < text.size(); at = text.find(start, at + 1)) {
    const Escape escape(text.substr(at, max_escape));
    if (escape.size != 0 && table.has(escape.letter)) return true;
  }
  return false;
}

// True if `text` has an escape that decodes to a letter of the token. Most documents have none, even if they have many backslashes.
bool has_escaped_letter(const TokenTable& table, std::string_view text) {
  if (has_escaped_letter(table, text, '%') || has_escaped_letter(table, text, '&')) return true;
  const bool is_any_wanted = table.has('"') || table.has('\\');
  const char other = table.has('/') ? '/' : 'u';
  for (std::size_t begin = text.find('\\'); begin < text.size(); begin = text.find('\\', begin + escape_block)) {
    if (!is_any_wanted && begin + escape_block < text.size() && !has_pair(text.data() + begin, other)) continue;
    const std::size_t end = std::min(begin + escape_block, text.size());
    for (std::size_t at = begin; at < end; at = text.find('\\', at + 1)) {
      const Escape escape(text.substr(at, max_escape));
      if (escape.size != 0 && table.has(escape.letter)) return true;
    }
  }
  return false;
}

// The text without escapes, and the position of each of its characters in the original.
class Unescaped {
 public:
  explicit Unescaped(std::string_view text) {
    letters_.reserve(text.size());
    places_.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
      const Escape escape(text.substr(at, max_escape));
      letters_ += escape.size != 0 ? escape.letter : text[at];
      places_.push_back(at);
      at += std::max<std::size_t>(escape.size, 1);
    }
    places_.push_back(text.size());
  }
  std::string_view letters() const { return letters_; }
  std::size_t place(std::size_t letter) const { return places_[letter]; }

 private:
  std::string letters_;
  std::vector<std::size_t> places_;
};

// The start of the text's end that may be the beginning of a part: letters of the token up to the end, fewer than a part needs.
std::size_t begin_of_end(const TokenTable& table, std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && text.size() - begin + 1 < table.run() && table.has(text[begin - 1])) --begin;
  return begin;
}

constexpr bool starts_escape(char c) noexcept { return c == '\\' || c == '%' || c == '&'; }

// True if the text after a backslash, a percent sign or an ampersand may be an incomplete escape.
bool may_go_on(char start, std::string_view rest) {
  const auto are_digits = [](std::string_view digits) {
    return std::all_of(digits.begin(), digits.end(), [](char c) { return hex_value(c) >= 0; });
  };
  if (rest.empty()) return true;
  if (start == '\\') return rest[0] == 'u' && rest.size() < 5 && are_digits(rest.substr(1));
  if (start == '%') return rest.size() < 2 && are_digits(rest);
  if (rest[0] == '#')
    return rest.find(';') == std::string_view::npos && are_digits(rest.substr(rest.size() > 1 && to_lower(rest[1]) == 'x' ? 2 : 1));
  return std::any_of(entities.begin(), entities.end(),
                     [rest](const Entity& one) { return rest.size() < one.name.size() - 1 && one.name.substr(1).starts_with(rest); });
}

// The start of an incomplete escape; the text's size when there is none.
std::size_t begin_of_half_escape(std::string_view text) {
  for (std::size_t back = 1; back < std::min(max_escape, text.size() + 1); ++back) {
    const std::size_t at = text.size() - back;
    if (!starts_escape(text[at]) || !may_go_on(text[at], text.substr(at + 1))) continue;
    if (text[at] != '\\') return at;
    std::size_t backslashes = 1;
    while (backslashes <= at && text[at - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1 ? at : text.size();
  }
  return text.size();
}

// Merges the results of two searches of one text, in order and without overlaps.
std::vector<TextSpan> joined_parts(std::vector<TextSpan> parts, const std::vector<TextSpan>& others) {
  parts.insert(parts.end(), others.begin(), others.end());
  std::sort(parts.begin(), parts.end(), [](const TextSpan& a, const TextSpan& b) { return a.begin < b.begin; });
  std::vector<TextSpan> joined;
  for (const TextSpan& part : parts) {
    if (!joined.empty() && part.begin < joined.back().end) {
      joined.back().end = std::max(joined.back().end, part.end);
    } else {
      joined.push_back(part);
    }
  }
  return joined;
}

// The parts to hide in a text, and the position from which text must be held back until more is known.
class Sight {
 public:
  Sight(const TokenTable& table, std::string_view text) {
    const std::size_t whole = begin_of_half_escape(text);
    parts = table.find(text);
    kept_from = begin_of_end(table, text.substr(0, whole));
    // In windows, so that one escape in a long document costs little memory. Windows overlap so far that no run is cut.
    constexpr std::size_t window = 64 * 1024;
    const std::size_t overlap = 2 * max_escape * table.run();
    std::vector<TextSpan> seen_through;
    for (std::size_t begin = 0; begin < whole; begin += window) {
      const std::string_view part = text.substr(begin, std::min(window + overlap, whole - begin));
      if (!has_escaped_letter(table, part)) continue;
      const Unescaped plain(part);
      for (const TextSpan& span : table.find(plain.letters()))
        seen_through.emplace_back(begin + plain.place(span.begin), begin + plain.place(span.end));
      if (begin + part.size() == whole) kept_from = std::min(kept_from, begin + plain.place(begin_of_end(table, plain.letters())));
    }
    if (!seen_through.empty()) parts = joined_parts(std::move(parts), seen_through);  // a secret may contain text that looks like an escape
  }
  std::vector<TextSpan> parts;
  std::size_t kept_from = 0;
};

// Appends `text` up to `end`, without the parts. The first `hidden` bytes belong to a part that was marked before. Returns how far the
// parts reach.
std::size_t append_visible(std::string& out, std::string_view text, const std::vector<TextSpan>& parts, std::size_t hidden,
                           std::size_t end) {
  std::size_t at = hidden;
  for (const TextSpan& part : parts) {
    if (part.begin >= at) {
      out.append(text, at, part.begin - at).append(token_stars);
    }
    at = std::max(at, part.end);
  }
  if (at < end) out.append(text, at, end - at);
  return at;
}

}  // namespace

void TokenMask::hide_in(Failure& failure) const {
  if (!table_) return;
  std::string what = failure.what();
  std::string hint = failure.hint();
  hide_in(what);
  hide_in(hint);
  failure.with_what(std::move(what)).with_hint(std::move(hint));
}

void TokenMask::hide_in(std::string& text) const {
  if (!table_ || text.size() < table_->run()) return;
  const Sight sight(*table_, text);
  if (sight.parts.empty()) return;
  std::string visible;
  append_visible(visible, text, sight.parts, 0, text.size());
  text = std::move(visible);
}

std::string_view TokenMaskStream::front(std::string_view piece) const {
  if (held_.empty()) return piece;
  const auto end = std::find_if(piece.begin(), piece.end(), [this](char c) { return !table_->has(c); });
  return piece.substr(0, static_cast<std::size_t>(end - piece.begin()) + 1);
}

std::string_view TokenMaskStream::next(std::string_view piece) {
  if (!table_) return piece;
  std::string_view text = piece;
  if (!held_.empty()) {
    joined_.assign(held_).append(piece);
    text = joined_;
  }
  const Sight sight(*table_, text);
  if (sight.parts.empty() && hidden_ <= sight.kept_from) {
    const std::string_view visible = text.substr(hidden_, sight.kept_from - hidden_);
    held_ = text.substr(sight.kept_from);
    hidden_ = 0;
    return visible;
  }
  shown_.clear();
  const std::size_t reached = append_visible(shown_, text, sight.parts, hidden_, sight.kept_from);
  held_ = text.substr(sight.kept_from);
  hidden_ = reached > sight.kept_from ? reached - sight.kept_from : 0;
  return shown_;
}

std::string_view TokenMaskStream::rest() {
  shown_ = held_.substr(hidden_);
  held_.clear();
  hidden_ = 0;
  return shown_;
}

}  // namespace rollcall
