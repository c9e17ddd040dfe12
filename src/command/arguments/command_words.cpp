#include "command/arguments/command_words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace rollcall::command {
namespace {

// Gives CLI11 only the rows that may be meant: registering a row is most of the cost of a command's start.
bool may_mean(const std::string& word, const OptionRow& row) {
  if (word.starts_with("--")) return std::string_view(word).substr(0, word.find('=')) == row.name;
  const auto stands = [&](char letter) { return letter && word.find(letter, 1) != std::string::npos; };
  return word.starts_with('-') && word.size() > 1 && (stands(row.letter) || stands(row.also));
}

class WordReader {
 public:
  WordReader(std::span<const std::string> words, std::span<const OptionRow> rows)
      : words_(words), end_(std::find(words.begin(), words.end(), "--")), rows_(rows), app_("rollcall") {
    app_.set_help_flag("");
    app_.add_flag_callback("--help,-h", [this] { found_.wants_help = true; });
    app_.add_flag_callback("--version,-V", [this] { found_.wants_version = true; });
    app_.add_option("words", found_.positionals);
    app_.allow_extras(true);  // unknown options are reported elsewhere
    for (const OptionRow& row : rows) {
      if (std::any_of(words_.begin(), end_, [&](const std::string& word) { return may_mean(word, row); })) add(row);
    }
  }

  CommandWords read() {
    for (auto word = words_.begin(); word != end_ && found_.with_value.empty(); ++word) found_.with_value = flag_with_value(*word);
    if (!found_.with_value.empty()) return std::move(found_);  // CLI11 would accept it
    try {
      app_.parse(std::vector<std::string>(words_.rbegin(), words_.rend()));  // as CLI11 treats them
    } catch (const CLI::ParseError&) {
      // No other error is possible: the last word is an option that lacks its value.
      for (const OptionRow& row : rows_) {
        if (!row.value.empty() && words_.begin() != end_ && may_mean(*(end_ - 1), row)) found_.without_value = &row;
      }
    }
    found_.unknown = app_.remaining(true);
    std::erase(found_.unknown, "--");
    return std::move(found_);
  }

 private:
  void add(const OptionRow& row) {
    std::string names(row.name);
    for (const char letter : {row.letter, row.also}) {
      if (letter) names.append(",-").append(1, letter);
    }
    if (row.value.empty()) {
      app_.add_flag_callback(names, [this, &row] { found_.options.emplace_back(row, std::string()); });
      return;
    }
    CLI::Option* option = app_.add_option(names, [this, &row](const CLI::results_t& values) {
      for (const std::string& value : values) found_.options.emplace_back(row, value);
      return true;
    });
    option->type_size(1)->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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
  CommandWords found_;
  CLI::App app_;
};

}  // namespace

CommandWords tell_apart(std::span<const std::string> words, std::span<const OptionRow> rows) { return WordReader(words, rows).read(); }

}  // namespace rollcall::command
