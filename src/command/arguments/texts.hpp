// What the command says of itself, from its tables: --help, --version, completions and the manual; pure.
#pragma once

#include <string>
#include <string_view>

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

std::string program_help();
std::string command_help(const CommandRow& command);

/// `text` broken at blanks into lines of at most `width` columns; every line but the first begins with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100);

/// The project's version, such as "0.1.0".
std::string_view version() noexcept;

/// A line for each library that was linked: its name, its version as it says itself where it can, and whether it is part of this program
/// ("static") or a file of the system's ("shared"). Nothing is initialised by asking.
std::string linked_versions();

/// A completion script for `bash`, `zsh` or `fish`. Errors: invalid_argument.
Result<std::string> completion_script(std::string_view shell);

/// The manual page in troff form.
std::string manual_page(std::string_view version);

}  // namespace rollcall::tools
