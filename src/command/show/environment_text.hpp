// Variables for whoever takes them over: a shell, a step of a workflow, a program.
#pragma once

#include <string>

#include "command/arguments/parse_arguments.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// shell: `export NAME='VALUE'` lines; github: `NAME=VALUE` lines for $GITHUB_ENV; dotenv: the same, quoted where blanks are in it; json:
/// an object on a line. Values have neither line breaks nor single quotes.
std::string environment_text(EnvironmentForm form, const EnvironmentVariables& variables);

}  // namespace rollcall::command
