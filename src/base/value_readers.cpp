#include "base/value_readers.hpp"

#include <algorithm>

namespace rollcall {

std::optional<std::size_t> index_among(std::string_view word, std::span<const std::string_view> words) noexcept {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

Result<std::size_t> choice_among(std::string_view word, std::span<const std::string_view> words) {
  if (const std::optional<std::size_t> index = index_among(word, words)) return *index;
  Failure failure(Errc::invalid_argument, fmt::format("{} is not accepted; accepted are {}", quoted(word, 64), fmt::join(words, ", ")));
  if (const auto meant = nearest(word, words)) failure.with_hint(fmt::format("did you mean {}?", *meant));
  return failure;
}

std::optional<bool> parse_flag(std::string_view text) noexcept {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string nearest_or_known(std::string_view word, std::span<const std::string_view> known) {
  const auto close = nearest(word, known);
  return close ? fmt::format(", did you mean '{}'?", *close) : fmt::format("; known are {}", fmt::join(known, ", "));
}

}  // namespace rollcall
