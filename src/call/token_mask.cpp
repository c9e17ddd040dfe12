#include "call/token_mask.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view token_stars = "***";
constexpr std::size_t longest_escape = 6;  // \u0041

// The character that the escape at the beginning of `text` stands for, if it is ASCII, and its size; size 0: there is no escape.
class Escape {
 public:
  explicit Escape(std::string_view text) {
    if (text.size() < 2 || text[0] != '\\') return;
    if (std::string_view("\"\\/").find(text[1]) != std::string_view::npos) {
      letter = text[1];
      size = 2;
    } else if (std::string_view("bfnrt").find(text[1]) != std::string_view::npos) {
      size = 2;
    } else if (text[1] == 'u' && text.size() >= longest_escape) {
      int code = 0;
      for (const char c : text.substr(2, 4)) code = hex_value(c) < 0 || code < 0 ? -1 : code * 16 + hex_value(c);
      if (code < 0) return;
      letter = code < 0x80 ? static_cast<char>(code) : '\0';
      size = longest_escape;
    }
  }
  char letter = '\0';
  std::size_t size = 0;
};

// Whether a backslash stands before a `u` or before `other` in the block. Without a branch, for the compiler to do many bytes at once.
constexpr std::size_t escape_block = 64;
bool has_pair(const char* at, char other) {
  unsigned char any = 0;
  for (std::size_t i = 0; i < escape_block; ++i)
    any |= static_cast<unsigned char>((at[i] == '\\') & ((at[i + 1] == 'u') | (at[i + 1] == other)));
  return any != 0;
}

// True if `text` has an escape that stands for a letter of the token. Most documents have none, however many backslashes there are.
bool has_escaped_letter(const TokenTable& table, std::string_view text) {
  const bool is_any_wanted = table.has('"') || table.has('\\');
  const char other = table.has('/') ? '/' : 'u';
  for (std::size_t begin = text.find('\\'); begin < text.size(); begin = text.find('\\', begin + escape_block)) {
    if (!is_any_wanted && begin + escape_block < text.size() && !has_pair(text.data() + begin, other)) continue;
    const std::size_t end = std::min(begin + escape_block, text.size());
    for (std::size_t at = begin; at < end; at = text.find('\\', at + 1)) {
      const Escape escape(text.substr(at, longest_escape));
      if (escape.size != 0 && table.has(escape.letter)) return true;
    }
  }
  return false;
}

// The text without escapes, and where in the text each of its characters stands.
class Unescaped {
 public:
  explicit Unescaped(std::string_view text) {
    letters_.reserve(text.size());
    places_.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
      const Escape escape(text.substr(at, longest_escape));
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

// Where the end of `text` begins that may be the beginning of a part: letters of the token up to the end, fewer than make a part.
std::size_t begin_of_end(const TokenTable& table, std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && text.size() - begin + 1 < table.run() && table.has(text[begin - 1])) --begin;
  return begin;
}

// Where an escape begins that is not whole yet; the text's size when there is none.
std::size_t begin_of_half_escape(std::string_view text) {
  for (std::size_t back = 1; back < std::min(longest_escape, text.size() + 1); ++back) {
    const std::size_t at = text.size() - back;
    if (text[at] != '\\') continue;
    std::size_t backslashes = 1;
    while (backslashes <= at && text[at - backslashes] == '\\') ++backslashes;
    const std::string_view rest = text.substr(at + 1);
    const bool is_half =
        rest.empty() || (rest[0] == 'u' && std::all_of(rest.begin() + 1, rest.end(), [](char c) { return hex_value(c) >= 0; }));
    return is_half && backslashes % 2 == 1 ? at : text.size();
  }
  return text.size();
}

// What there is to hide in a text, and from where on it must be kept until more is known.
class Sight {
 public:
  Sight(const TokenTable& table, std::string_view text) {
    const std::size_t whole = begin_of_half_escape(text);
    if (!has_escaped_letter(table, text)) {
      parts = table.find(text);
      kept_from = begin_of_end(table, text.substr(0, whole));
      return;
    }
    const Unescaped plain(text.substr(0, whole));
    parts = table.find(plain.letters());
    for (TextSpan& part : parts) part = TextSpan(plain.place(part.begin), plain.place(part.end));
    kept_from = plain.place(begin_of_end(table, plain.letters()));
  }
  std::vector<TextSpan> parts;
  std::size_t kept_from = 0;
};

// Appends `text` up to `end`, but for the parts. The first `hidden` bytes are of a part that was marked before. Returns how far the
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
