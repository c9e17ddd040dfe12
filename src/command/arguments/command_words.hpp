// Splits the words of a command line: options with their values, positionals, and unknown words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command/arguments/command_table.hpp"

namespace rollcall::command {

class GivenOption {
 public:
  GivenOption(const OptionRow& of_row, std::string given) : row(&of_row), value(std::move(given)) {}
  const OptionRow* row;
  std::string value;  ///< empty for a flag
};

class CommandWords {
 public:
  CommandWords() {}
  bool wants_help = false;
  bool wants_version = false;
  std::vector<GivenOption> options;       ///< in the order of the rows; those of one row in the order of the words
  std::vector<std::string> positionals;
  std::vector<std::string> unknown;       ///< unknown options, in the order of the words
  std::string_view with_value;            ///< a flag that was given a value; empty: none was
  const OptionRow* without_value = nullptr;  ///< an option without its value, at the end
};

/// `words`: those behind the command; if the command is unknown, all words, with empty `rows`. An option's value is the next word, even if
/// it looks like an option, or stands behind = or behind its letter. Behind `--` there are no options.
CommandWords split_words(std::span<const std::string> words, std::span<const OptionRow> rows);

}  // namespace rollcall::command
