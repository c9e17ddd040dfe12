// How the command line's options get into a Runtime.
#pragma once

#include <functional>
#include <string>

#include "command/arguments/parse_arguments.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::tools {

/// Network and files, as `arguments`, which must outlive the Runtime, say. `warn` is told, once for each, of secrets that everybody can
/// read.
RuntimeOptions runtime_options_of(const Arguments& arguments, std::shared_ptr<const Environment> environment,
                                  std::function<void(const std::string&)> warn);

}  // namespace rollcall::tools
