// The seam for asking whether a port takes connections.
#pragma once

#include <asio/awaitable.hpp>

#include "rollcall/endpoint.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

/// Tries connections. All calls are made on one serial executor. Cancellation (Asio's, terminal) ends a try at once and leaves nothing
/// behind.
class TcpProbe {
 public:
  virtual ~TcpProbe() = default;
  /// Success: the peer took the connection, which is closed at once. `endpoint` must have a port and outlive the await. Errors:
  /// unreachable, unknown_host, resolve_timeout, connect_timeout (by `deadline`), cancelled.
  virtual asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime deadline) = 0;
};

}  // namespace rollcall
