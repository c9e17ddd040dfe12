// Connects to a unix socket of this machine.
#pragma once

#include <asio/any_io_executor.hpp>
#include <string>

#include "net/socket/stream.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Does not suspend: such a connection is made at once or not at all. Errors: invalid_argument (the path), permission_denied,
/// unreachable.
Result<Stream> connect_local(const asio::any_io_executor& executor, const std::string& path);

}  // namespace rollcall
