// Makes a Runtime from the command line's options.
#pragma once

#include <asio/any_io_executor.hpp>
#include <functional>
#include <string>

#include "command/arguments/parse_arguments.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::command {

/// Network and files as `arguments` say; `arguments` must outlive the Runtime. Calls `warn` at once for each file of an option that
/// contains a secret and that others on this machine can read, or that they can change although it decides something.
RuntimeOptions runtime_options_of(const Arguments& arguments, std::shared_ptr<const Environment> environment,
                                  const asio::any_io_executor& executor, const std::function<void(const std::string&)>& warn);

}  // namespace rollcall::command
