// --probe: tests the coordinator of a launch before the program starts.
#pragma once

#include <asio/awaitable.hpp>
#include <vector>

#include "command/arguments/command_table.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::command {

/// Checks, before any request, that --probe is given only with a form that names a coordinator. Errors: invalid_argument.
Result<void> check_probe(const Arguments& arguments);

/// Awaits `question`. Then, if `is_wanted`, tests the coordinator of each form of its answer that names one. May suspend; cancellable.
/// Errors: the question's, launch_coordinator()'s and probe_coordinator()'s.
asio::awaitable<Result<LaunchFacts>> with_probe(bool is_wanted, asio::awaitable<Result<LaunchFacts>> question, Runtime runtime,
                                                std::vector<LaunchFormat> forms, QuestionOptions options);

}  // namespace rollcall::command
