// Environment variables as text for a shell, a workflow step or a program.
#pragma once

#include <string>

#include "command/arguments/parse_arguments.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// shell: `export NAME='VALUE'` lines; github: `NAME=VALUE` lines for $GITHUB_ENV; dotenv: the same, quoted where there are blanks; json:
/// an object on a line. Values have neither line breaks nor single quotes.
std::string environment_text(EnvironmentForm form, const EnvironmentVariables& variables);

}  // namespace rollcall::command
