// A tunnel through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6).
#pragma once

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <string>

#include "net/dial/connect_to.hpp"
#include "net/socket/dial_step.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Asks the proxy at the other end of `socket` for a tunnel to `destination`, within `step`. Errors: unreachable (the proxy
/// refused, its status in last_status; or it closed), malformed_response, and what `step` says.
asio::awaitable<Result<void>> open_tunnel(asio::ip::tcp::socket& socket, const Destination& destination, const std::string& proxy,
                                          DialStep& step);

}  // namespace rollcall
