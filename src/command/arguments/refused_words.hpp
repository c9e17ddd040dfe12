// The options in words that parse_arguments() has refused: they decide the output format of the error and where it is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/arguments/command_words.hpp"

namespace rollcall::command {

class RefusedWords {
 public:
  explicit RefusedWords(const std::vector<std::string>& words);

  const CommandRow* command() const noexcept { return command_; }  ///< null: no known command is named
  /// The last accepted value of an option; empty for a flag. None: the option is not given, or the command does not have it. An unknown
  /// command is treated as having spec's options.
  std::optional<std::string> value_of(std::string_view option) const;

 private:
  const CommandRow* command_ = nullptr;
  CommandWords given_;
};

}  // namespace rollcall::command
