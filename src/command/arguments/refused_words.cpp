#include "command/arguments/refused_words.hpp"

#include <algorithm>

namespace rollcall::command {
namespace {

// Words without the faulty ones: an option without a value, and a flag with one, would make the split of all words fail.
CommandWords split_sound_words(std::vector<std::string> words, std::span<const OptionRow> rows) {
  for (;;) {
    CommandWords given = split_words(words, rows);
    if (given.without_value) {
      words.pop_back();
    } else if (!given.with_value.empty()) {
      const std::string wrong = std::string(given.with_value) + "=";
      std::erase_if(words, [&wrong](const std::string& word) { return word.starts_with(wrong); });
    } else {
      return given;
    }
  }
}

bool accepts(const OptionRow& row, const std::string& value) {
  return row.choices.empty() || std::find(row.choices.begin(), row.choices.end(), value) != row.choices.end();
}

}  // namespace

RefusedWords::RefusedWords(const std::vector<std::string>& words) {
  std::vector<std::string> others = words;
  const auto first = std::find_if(others.begin(), others.end(), [](const std::string& word) { return !word.starts_with("-"); });
  if (first != others.end()) command_ = find_command(*first);
  if (command_) others.erase(first);
  others.erase(std::find(others.begin(), others.end(), "--"), others.end());  // words behind -- are not options of this command
  const CommandRow* const row = command_ ? command_ : find_command("spec");
  given_ = split_sound_words(std::move(others), row->options);
}

std::optional<std::string> RefusedWords::value_of(std::string_view option) const {
  std::optional<std::string> last;
  for (const GivenOption& one : given_.options) {
    if (one.row->name == option && accepts(*one.row, one.value)) last = one.value;
  }
  return last;
}

}  // namespace rollcall::command
