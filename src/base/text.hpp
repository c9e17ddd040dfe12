// Small text tools: makes foreign text safe to print, suggests spellings, splits, reads numbers, matches patterns with stars.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rollcall {

/// True if every byte is in the range from `lowest`, at least a blank, to `~`.
bool is_ascii_from(char lowest, std::string_view text) noexcept;

/// All of `text` as printable() shows it: line ends are escaped, too. Applying it twice changes nothing.
std::string printable_line(std::string_view text);

/// `text` with everything escaped that could disturb a terminal or mislead a reader: control characters (ESC, DEL, C1), bidirectional and
/// invisible characters, and bytes that are not UTF-8, as `\xNN` or `\u{…}`. What is longer than `max_bytes` when it is escaped is cut and
/// "… (N bytes)" appended, N being the length of `text`. Applying it twice changes nothing: a text that ends so is not cut for its mark.
std::string printable(std::string_view text, std::size_t max_bytes = 256);

/// Replaces the five special characters of HTML and XML by entities.
std::string escape_markup(std::string_view text);

/// printable() between single quotes. An object and not a function: for a function, argument-dependent look-up would also find std::quoted,
/// which is a better match for some arguments and which newer standard libraries declare with <chrono>.
class Quoted {
 public:
  std::string operator()(std::string_view text, std::size_t max_bytes = 256) const;
};
inline constexpr Quoted quoted{};

/// The candidate that `text` is most likely a misspelling of (edit distance, regardless of case), or none.
std::optional<std::string_view> nearest(std::string_view text, std::span<const std::string_view> candidates);

/// One decoded character. Invalid input has size 1, so that decoding can continue after it.
struct Utf8Char {
  char32_t code = 0;
  std::size_t size = 0;  ///< bytes; 0 at the end
  bool is_valid = false;
};

/// The character that starts at `at`; overlong forms, surrogates and values over U+10FFFF are invalid.
Utf8Char decode_utf8(std::string_view text, std::size_t at) noexcept;
bool is_valid_utf8(std::string_view text) noexcept;
/// Control, formatting and invisible characters: those that printable() escapes.
bool is_hidden(char32_t code) noexcept;

/// Without ASCII blanks (space, tab, CR, LF, VT, FF) at both ends.
std::string_view trim(std::string_view text) noexcept;
/// Some editors begin UTF-8 files with one.
std::string_view without_byte_order_mark(std::string_view text) noexcept;
/// The parts between the separators, as views of `text`: one part more than there are separators, empty ones included.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Deleted for temporaries: the parts are views of the text.
template <class Text>
  requires std::same_as<Text, std::string>
std::vector<std::string_view> split(Text&& text, char separator) = delete;

// ASCII only, independent of the locale.
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_alpha(char c) noexcept { return is_upper(c) || is_lower(c); }
constexpr bool is_alnum(char c) noexcept { return is_alpha(c) || is_digit(c); }
constexpr char to_lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept;

/// Decimal digits only: no sign, blank, prefix or overflow. Leading zeros are fine.
template <class Integer>
std::optional<Integer> parse_decimal(std::string_view text, Integer low = 0, Integer high = std::numeric_limits<Integer>::max()) noexcept {
  static_assert(std::is_integral_v<Integer>);
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) return std::nullopt;
  return value;
}

/// The syntax of Python's int() for ASCII text: blanks around, one sign, digits with single underscores between them. Absent: not a number,
/// or too large for 64 bits.
std::optional<std::int64_t> parse_python_int(std::string_view text);

/// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// `*` in the pattern matches any text, slashes included.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

/// As Python's repr(). In single quotes, or in double quotes if `text` contains a single quote and no double one. Backslashes and invisible
/// characters are escaped; bytes that are not UTF-8 appear as Python's surrogate escapes (`\udcff`). Visibility is decided by ranges, not
/// by the full Unicode table: unassigned code points are printed unchanged.
std::string python_repr(std::string_view text);

}  // namespace rollcall
