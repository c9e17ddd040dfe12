// What this machine is reached by.
#pragma once

#include <string>
#include <vector>

namespace rollcall::tools {

/// The addresses of its interfaces, loopback left out, and its host name. Empty when they cannot be read.
std::vector<std::string> own_addresses();

}  // namespace rollcall::tools
