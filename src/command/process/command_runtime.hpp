// How the command line's options get into a Runtime.
#pragma once

#include <asio/any_io_executor.hpp>
#include <functional>
#include <string>

#include "command/arguments/parse_arguments.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::command {

/// Network and files, as `arguments`, which must outlive the Runtime, say. `warn` is called now for options' files that others on this
/// machine can read, although there is a secret in them, or can change, although they decide.
RuntimeOptions runtime_options_of(const Arguments& arguments, std::shared_ptr<const Environment> environment,
                                  const asio::any_io_executor& executor, const std::function<void(const std::string&)>& warn);

}  // namespace rollcall::command
