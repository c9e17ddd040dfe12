// The question for the accelerators of this host.
#pragma once

#include <string>
#include <vector>

#include "command/arguments/parse_arguments.hpp"
#include "rollcall/find_local_devices.hpp"

namespace rollcall::command {

/// True if `targets` is the word for this host. `has_others`: there are targets besides. Errors: invalid_argument (others beside the word,
/// or a misspelling of it).
Result<bool> asks_this_host(const std::vector<std::string>& targets, bool has_others = false);

/// How they are found within `timeout`.
LocalDevicesOptions local_devices_options(const Arguments& arguments, Duration timeout);

}  // namespace rollcall::command
