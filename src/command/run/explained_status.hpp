// For commands that print a status once.
#pragma once

#include <string>
#include <string_view>

#include "command/run/one_question.hpp"

namespace rollcall::command {

/// The first word of a line about all targets: the target, if there is one.
std::string subject_of(const Arguments& arguments);

/// Asks for the status of all targets together, with its causes. `print` returns the exit code. Refuses to ask the members themselves, with
/// the command's name.
int answer_explained(std::string_view command, const Arguments& arguments,
                     int (*print)(const ExplainedStatus& answer, const Arguments& arguments));

}  // namespace rollcall::command
