// A file of trust anchors, before it is needed.
#pragma once

#include <string>

#include "rollcall/error.hpp"

namespace rollcall {

/// Whether `path` can serve as NetworkOptions::ca_file. Errors: invalid_argument naming the file.
Result<void> check_ca_file(const std::string& path);

}  // namespace rollcall
