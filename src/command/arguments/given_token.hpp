// The token of --token-file.
#pragma once

#include <memory>
#include <string>

#include "rollcall/credentials.hpp"
#include "rollcall/time.hpp"

namespace rollcall::tools {

/// A regular file is read at every use. What can be read only once, such as a pipe, is read now, to its end, and for at most
/// `timeout`. Errors: invalid_argument.
Result<std::shared_ptr<Credentials>> given_token(const std::string& path, Duration timeout);

}  // namespace rollcall::tools
