// Checks files that libraries open by themselves: OpenSSL's settings, gRPC's trust anchors, c-ares' names and name servers.
#pragma once

#include "rollcall/error.hpp"

namespace rollcall::command {

/// Checks that such a file cannot block the library or be endless: it is a regular file, /dev/null (which switches it off), or does not
/// exist. Errors: invalid_argument naming the variable, failed_precondition naming the file.
Result<void> check_files_of_libraries();

}  // namespace rollcall::command
