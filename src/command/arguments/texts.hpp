// Texts of the command about itself, generated from its tables: --help, --version, completions and the manual; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command/arguments/command_table.hpp"
#include "command/terminal/text_layout.hpp"

namespace rollcall::command {

/// All commands and topics, on one screen.
std::string program_help(std::size_t width = usual_width);
/// Help of one command: its usual options on one screen, or all of them.
std::string command_help(const CommandRow& command, std::size_t width = usual_width);
std::string full_command_help(const CommandRow& command, std::size_t width = usual_width);
/// `targets`, `environment`, `exit-codes`.
std::vector<std::string_view> help_topics();
/// Empty: no such topic.
std::string topic_help(std::string_view name, std::size_t width = usual_width);

/// The project's version, such as "0.1.0".
std::string_view version() noexcept;

/// A line for each linked library: its name, its version as the library reports it (where it can), and whether it is part of this program
/// ("static") or a file of the system ("shared"). Initialises no library.
std::string linked_versions();

/// A completion script for `bash`, `zsh` or `fish`. Errors: invalid_argument.
Result<std::string> completion_script(std::string_view shell);

/// The manual page in troff form.
std::string manual_page(std::string_view version);

}  // namespace rollcall::command
