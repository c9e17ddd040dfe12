// Files that libraries open by themselves: OpenSSL its settings, gRPC its trust anchors, c-ares names and name servers.
#pragma once

#include "rollcall/error.hpp"

namespace rollcall::command {

/// That the libraries will neither wait for the writer of such a file nor read for ever: it is a regular file, /dev/null, which switches it
/// off, or not there. Errors: invalid_argument naming the variable, failed_precondition naming the file.
Result<void> check_files_of_libraries();

}  // namespace rollcall::command
