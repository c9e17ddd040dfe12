// What the makers of targets and the command share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rollcall/target_scheme.hpp"

namespace rollcall {

/// `task=3`; none when the key is missing. Errors: invalid_argument.
Result<std::optional<int>> task_option(const Target& target);
/// `KEY=8470`; none when the key is missing. Errors: invalid_argument unless 1 to 65535.
Result<std::optional<std::uint16_t>> port_option(const Target& target, std::string_view key = "port");
/// `KEY=true` or `KEY=false`; none when the key is missing. Errors: invalid_argument.
Result<std::optional<bool>> flag_option(const Target& target, std::string_view key);

/// The failure of word_option(): `SCHEME: KEY='text' TROUBLE`.
Failure not_a_word(const Target& target, std::string_view key, std::string_view text, std::string_view trouble);
/// A word that a value may be, and what it means.
template <class Value>
using TargetWord = std::pair<std::string_view, Value>;

/// `KEY=WORD`: calls the setter `set` with what the word means, unless the key is missing. Errors: invalid_argument for another word,
/// `SCHEME: KEY='word' TROUBLE`.
template <class Value, std::size_t N, class Options>
Result<void> word_option(const Target& target, std::string_view key, const TargetWord<Value> (&words)[N], Options& options,
                         Options& (Options::*set)(Value), std::string_view trouble) {
  const std::optional<std::string> text = target.get(key);
  if (!text) return Result<void>();
  for (const auto& [word, value] : words) {
    if (word != *text) continue;
    (options.*set)(value);
    return Result<void>();
  }
  return not_a_word(target, key, *text, trouble);
}

}  // namespace rollcall
