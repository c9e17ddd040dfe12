// A tunnel through a proxy: CONNECT (RFC 9110 section 9.3.6) or SOCKS5.
#pragma once

#include <asio/awaitable.hpp>

#include "base/proxy_url.hpp"
#include "net/dial/connect_to.hpp"
#include "net/socket/dial_step.hpp"
#include "net/socket/stream.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Requests a tunnel to `destination` from the proxy at the other end of `stream`, within `step`. Errors: unauthenticated and
/// permission_denied (the proxy's own), unreachable (it could not connect, or closed), malformed_response, invalid_argument (a host that
/// cannot be sent), and those of `step`. An HTTP proxy's status is in last_status.
asio::awaitable<Result<void>> open_tunnel(Stream& stream, Destination destination, const ProxyUrl& proxy, DialStep& step);

}  // namespace rollcall
