// What refused words say all the same: the options in words that parse_arguments() has refused, which decide the output format of the error
// and where it is written, and the target that a text without a scheme may mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/arguments/command_words.hpp"
#include "rollcall/target_scheme.hpp"

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

/// The target that a text without a known scheme may mean, by its form alone: an address, a list of hosts, a file, a workload as kubectl
/// names it, a TPU's full name, a job of Slurm. Empty: none.
std::string meant_target(std::string_view text);

/// The target that `tpu://trainer` means, whose scheme has slashes behind it as in an address. Empty: the scheme may have them.
std::string without_slashes(const TargetScheme& row, std::string_view rest);

}  // namespace rollcall::command
