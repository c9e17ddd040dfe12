// The interface between the library and gRPC: one unary call, bytes in, bytes out. A status other than OK is an answer here; a server that
// could not be reached is an error.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <string>

#include "rollcall/error.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

/// gRPC's status codes. Source: grpc/grpc doc/statuscodes.md.
enum class RpcStatus {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};
/// `UNAVAILABLE`, …; `17` for a number that has no name.
std::string to_string(RpcStatus status);

class RpcRequest {
 public:
  RpcRequest() {}
  RpcRequest(std::string to, std::string path) : address(std::move(to)), method(std::move(path)) {}
  std::string address;  ///< `host:port`, IPv6 in brackets; or `unix:///PATH`, a socket of this machine
  bool is_tls = false;
  std::string method;   ///< `/package.Service/Method`
  std::string message;  ///< the request, serialized
};

/// Limits of one call.
class RpcOptions {
 public:
  RpcOptions() {}
  SteadyTime deadline = SteadyTime::max();
  std::size_t max_message_bytes = 8 * 1024 * 1024;  ///< of the answer
};

/// The result of a call.
class RpcAnswer {
 public:
  RpcAnswer() {}
  RpcAnswer(RpcStatus code, std::string explanation) : status(code), status_message(std::move(explanation)) {}
  RpcStatus status = RpcStatus::ok;
  std::string status_message;  ///< as the server sent it
  std::string message;         ///< the answer, serialized; empty unless ok
};

/// Sends calls. All are made on one serial executor. Cancellation (Asio's, terminal) ends a call at once with an exception or with
/// Errc::cancelled, and releases its resources.
class RpcTransport {
 public:
  virtual ~RpcTransport() = default;
  /// The arguments must outlive the await. Errors: unreachable, unknown_host, tls_failed, connect_timeout (no server accepted the
  /// connection by the deadline), response_timeout (the peer accepted it and did not answer until the deadline), malformed_response (the
  /// peer does not speak gRPC), limit_exceeded.
  virtual asio::awaitable<Result<RpcAnswer>> call(const RpcRequest& request, const RpcOptions& options) = 0;
  /// Closes idle channels and fails calls that are in flight.
  virtual void close() = 0;
};

}  // namespace rollcall
