// The interface for checking whether a port accepts connections.
#pragma once

#include <asio/awaitable.hpp>

#include "rollcall/endpoint.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

/// Tries connections. All calls are made on one serial executor. Cancellation (Asio's, terminal) ends a try at once and releases its
/// resources.
class TcpProbe {
 public:
  virtual ~TcpProbe() = default;
  /// Success: the peer accepted the connection, which is closed at once. `endpoint` must have a port and outlive the await. Errors:
  /// unreachable, unknown_host, resolve_timeout, connect_timeout (by `deadline`), cancelled.
  virtual asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime deadline) = 0;
};

}  // namespace rollcall
