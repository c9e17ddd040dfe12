// --help, from the tables; pure.
#pragma once

#include <string>

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

std::string program_help();
std::string command_help(const CommandRow& command);

/// `text` broken at blanks into lines of at most `width` columns; every line but the first begins with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100);

}  // namespace rollcall::tools
