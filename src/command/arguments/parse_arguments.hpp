// The command line, parsed.
#pragma once

#include <string>
#include <vector>

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

enum class Request { run, help, version };

class CommandLine {
 public:
  CommandLine() {}
  Request request = Request::run;
  const CommandRow* command = nullptr;  ///< none: help or version of the program
  Arguments arguments;
};

/// `words` without the program's name. Errors: invalid_argument naming the word and the nearest spelling, or what is accepted.
Result<CommandLine> parse_arguments(std::vector<std::string> words);

}  // namespace rollcall::tools
