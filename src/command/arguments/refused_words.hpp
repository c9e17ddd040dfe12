// What words say that parse_arguments() has refused: it decides in which form the refusal is told, and to whom.
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

  const CommandRow* command() const noexcept { return command_; }  ///< null: none that is known is named
  /// The last value that an option is given and accepts; empty for a flag. None: the option is not given, or the command does not have it.
  /// A command that is not known is taken to have spec's options.
  std::optional<std::string> value_of(std::string_view option) const;

 private:
  const CommandRow* command_ = nullptr;
  CommandWords given_;
};

}  // namespace rollcall::command
