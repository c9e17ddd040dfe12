// Values of options and settings: a word of several, a flag, a number with its bounds, and what a message says of a word that is not known.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The position of `word` in `words`; none if it is not among them.
std::optional<std::size_t> index_among(std::string_view word, std::span<const std::string_view> words) noexcept;

/// As index_among(). Errors: invalid_argument, with all words, and the nearest one as the hint.
Result<std::size_t> choice_among(std::string_view word, std::span<const std::string_view> words);

/// `true` or `false`; none: neither.
std::optional<bool> parse_flag(std::string_view text) noexcept;

/// Decimal digits from `low` to `high`. Errors: invalid_argument: `'TEXT' is no NOUN; accepted are LOW to HIGH`.
template <class Integer>
Result<Integer> number_between(std::string_view text, std::string_view noun, Integer low, Integer high) {
  const std::optional<Integer> number = parse_decimal<Integer>(text, low, high);
  if (number) return *number;
  return Failure(Errc::invalid_argument, fmt::format("{} is no {}; accepted are {} to {}", quoted(text, 64), noun, low, high));
}

/// The end of a message about a word that is not among `known`: `, did you mean 'WORD'?`, or `; known are A, B`.
std::string nearest_or_known(std::string_view word, std::span<const std::string_view> known);

}  // namespace rollcall
