// The words of a command line: options with their values, targets and the like, and unknown options.
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
  std::vector<GivenOption> options;       ///< as they stand
  std::vector<std::string> positionals;
  std::vector<std::string> unknown;       ///< options that there are not, as they stand
  std::string_view with_value;            ///< a flag that has one; empty: none has
  const OptionRow* without_value = nullptr;  ///< one that lacks its value, at the end
};

/// `words`: those behind the command; of one that is not known, all of them, and `rows` is empty. An option's value is the next word,
/// whatever it looks like, or stands behind = or its letter. Behind `--` there are no options.
CommandWords tell_apart(std::span<const std::string> words, std::span<const OptionRow> rows);

}  // namespace rollcall::command
