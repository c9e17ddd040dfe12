#include "command/arguments/command_words.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace rollcall::command {
namespace {

// What may follow the dashes of an option.
bool begins_name(char c) { return c != '-' && c != '!' && c != ' ' && c != '\n'; }

class WordReader {
 public:
  WordReader(std::span<const std::string> words, std::span<const OptionRow> rows)
      : words_(words), end_(std::find(words.begin(), words.end(), "--")), rows_(rows) {}

  CommandWords read() {
    for (auto word = words_.begin(); word != end_ && found_.with_value.empty(); ++word) found_.with_value = flag_with_value(*word);
    next_ = words_.begin();
    while (found_.with_value.empty() && !found_.without_value && next_ != words_.end()) take(*next_++);
    return std::move(found_);
  }

 private:
  void take(const std::string& word) {
    if (!has_mark_ && word == "--") {
      has_mark_ = true;
    } else if (!has_mark_ && word.size() > 2 && word.starts_with("--") && begins_name(word[2])) {
      take_long(word);
    } else if (!has_mark_ && word.size() > 1 && word.front() == '-' && begins_name(word[1]) && !is_digit(word[1])) {
      take_short(word);
    } else {
      found_.positionals.push_back(word);
    }
  }

  // `--name`, `--name=VALUE`, or `--name` and its value in the next word. Behind = the value may be empty: `--output=$UNSET` is refused by
  // the option, and takes no word that belongs to another.
  void take_long(const std::string& word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = std::string_view(word).substr(0, equals);
    if (name == "--help" || name == "--version") {
      (name == "--help" ? found_.wants_help : found_.wants_version) = true;
      return;
    }
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const OptionRow& one) { return one.name == name; });
    if (row == rows_.end()) {
      found_.unknown.push_back(word);
    } else {
      take_option(*row, equals == word.size() ? std::nullopt : std::optional(word.substr(equals + 1)));
    }
  }

  // `-v`, several flags as `-vq`, `-oVALUE`, or `-o` and its value in the next word.
  void take_short(const std::string& word) {
    const char letter = word[1];
    const std::string rest = word.substr(2);
    const auto row =
        std::find_if(rows_.begin(), rows_.end(), [&](const OptionRow& one) { return one.letter == letter || one.also == letter; });
    if (letter == 'h' || letter == 'V') {
      (letter == 'h' ? found_.wants_help : found_.wants_version) = true;
    } else if (row == rows_.end()) {
      found_.unknown.push_back(word);
      return;
    } else {
      take_option(*row, rest.empty() ? std::nullopt : std::optional(rest));
      if (!row->value.empty()) return;
    }
    if (!rest.empty()) take("-" + rest);
  }

  // `value`: none if the word has none.
  void take_option(const OptionRow& row, std::optional<std::string> value) {
    if (row.value.empty()) {
      found_.options.emplace_back(row, std::string());
    } else if (value) {
      found_.options.emplace_back(row, std::move(*value));
    } else if (next_ != words_.end()) {
      found_.options.emplace_back(row, *next_++);
    } else {
      found_.without_value = &row;
    }
  }

  // The name of the flag that `word` gives a value to; empty if `word` does not.
  std::string_view flag_with_value(const std::string& word) const {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return {};
    const std::string_view name = std::string_view(word).substr(0, equals);
    if (name == "--help") return "--help";
    if (name == "--version") return "--version";
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const OptionRow& one) { return one.value.empty() && one.name == name; });
    return row == rows_.end() ? std::string_view() : row->name;
  }

  std::span<const std::string> words_;
  std::span<const std::string>::iterator end_;  // words that may be options
  std::span<const OptionRow> rows_;
  std::span<const std::string>::iterator next_;
  bool has_mark_ = false;  // `--` was read: all further words are positionals
  CommandWords found_;
};

}  // namespace

CommandWords split_words(std::span<const std::string> words, std::span<const OptionRow> rows) { return WordReader(words, rows).read(); }

}  // namespace rollcall::command
