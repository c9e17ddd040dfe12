// Runs a user's command for an event.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::command {

using HookVariables = std::vector<std::pair<std::string, std::string>>;

/// Runs `sh -c COMMAND` with these variables added, without standard input and with standard error as its output, and waits until it has
/// ended: returns its wait status. For all else that it inherits see child_start.hpp. After `timeout`, or when cancelled, its process group
/// gets SIGTERM, two seconds later SIGKILL. Errors: failed_precondition (it could not be started), deadline_exceeded, cancelled.
asio::awaitable<Result<int>> run_hook(const std::string& command, const HookVariables& variables, Duration timeout);

/// `exit status 3`, `killed by signal 9`; empty for success.
std::string hook_trouble(int wait_status);

}  // namespace rollcall::command
