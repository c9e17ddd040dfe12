// A service that polls the clouds once on behalf of any number of launchers: the implementation of `rollcall serve`.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/fleet_settings.hpp"
#include "rollcall/metrics.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// A request that the service has answered, or a stream that has begun or ended, or whose client rejected an update. Views are valid only
/// during the call.
class ServedRequest {
 public:
  enum class Kind { request_served, stream_started, stream_ended, answer_refused };
  ServedRequest() {}
  Kind kind = Kind::request_served;
  std::string_view request;   ///< method, path and query as parsed: other parts of the request are not included
  std::string_view target;    ///< the target of the request; may be empty
  std::string_view identity;  ///< the client's identity, as the rights name it; may be empty
  std::string_view peer;      ///< the client's address
  std::string_view trace_id;  ///< of the client's `traceparent` (W3C Trace Context); may be empty
  std::string_view reason;    ///< why a stream has ended, or an update was rejected
  int status = 0;
  std::uint64_t bytes = 0;    ///< of the answer's body, so far
  Duration took{0};           ///< so far
};
std::string_view to_string(ServedRequest::Kind kind) noexcept;

/// Observer of the service's requests.
class RequestLog {
 public:
  virtual ~RequestLog() = default;
  /// Called on the Runtime's executor. Must return quickly.
  virtual void on_request(const ServedRequest& request) noexcept = 0;
};

/// Observers of the service; a null member is not used.
class FleetWatchers {
 public:
  FleetWatchers() {}
  std::shared_ptr<const Metrics>
      metrics;  ///< that have been given to the Runtime as its log: /metrics exports them beside the service's own
  std::shared_ptr<RequestLog> requests;
};

/// Follows the targets that its clients name, each once, and serves their states over HTTP: see docs/fleet.md. All calls on the Runtime's
/// executor.
class FleetService {
 public:
  /// `runtime` queries the clouds, and does not use a server itself. Does not suspend. Errors: invalid_argument (an address, a file, a
  /// setting), refused_by_policy (an address that is not loopback, without TLS or clients), failed_precondition (cannot listen on the
  /// address).
  static Result<std::shared_ptr<FleetService>> start(Runtime runtime, FleetServiceOptions options = {}, FleetWatchers watchers = {});
  virtual ~FleetService() = default;

  /// `http://127.0.0.1:7070`, one for each address: the value for ROLLCALL_SERVER, joined by commas.
  virtual std::vector<std::string> urls() const = 0;
  /// `127.0.0.1:7071`, one for each address of FleetServiceOptions::xds_listen: the discovery server's address for gRPC and Envoy.
  virtual std::vector<std::string> xds_addresses() const = 0;
  /// Asks clients to move to other servers, and suspends until they have disconnected, for `patience` at most; then as stop(). If
  /// cancelled: at once.
  virtual asio::awaitable<void> drain(Duration patience) = 0;
  /// Applies new settings: rights, clients, allowed and followed targets, limits; open streams are affected, too. Errors: as start();
  /// failed_precondition: a setting that a running service cannot change (listen). The old settings stay in effect then.
  [[nodiscard]] virtual Result<void> reload(FleetServiceOptions options) = 0;
  /// Closes all connections; idempotent.
  virtual void stop() = 0;
};

}  // namespace rollcall
