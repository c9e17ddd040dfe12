// A service that asks the clouds once and tells any number of launchers: what `rollcall serve` runs.
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

/// A request that the service has answered, or a stream that has begun or ended, or whose client refuses what it was told. Views are valid
/// only during the call.
class ServedRequest {
 public:
  enum class Kind { request_served, stream_started, stream_ended, answer_refused };
  ServedRequest() {}
  Kind kind = Kind::request_served;
  std::string_view request;   ///< method, path and question, as far as they were understood: nothing else that was sent is repeated
  std::string_view target;    ///< what was asked about; may be empty
  std::string_view identity;  ///< who asked, as the rights name it; may be empty
  std::string_view peer;      ///< the address that it came from
  std::string_view trace_id;  ///< of the client's `traceparent` (W3C Trace Context); may be empty
  std::string_view reason;    ///< why a stream has ended, or an answer was refused
  int status = 0;
  std::uint64_t bytes = 0;    ///< of the answer's body, so far
  Duration took{0};           ///< so far
};
std::string_view to_string(ServedRequest::Kind kind) noexcept;

/// Who hears of each request.
class RequestLog {
 public:
  virtual ~RequestLog() = default;
  /// Called on the Runtime's executor. Must return quickly.
  virtual void on_request(const ServedRequest& request) noexcept = 0;
};

/// Who watches the service; what is null is not there.
class FleetWatchers {
 public:
  FleetWatchers() {}
  std::shared_ptr<const Metrics>
      metrics;  ///< which have been given to the Runtime as its log: /metrics tells them beside the service's own
  std::shared_ptr<RequestLog> requests;
};

/// Follows the targets that its clients name, each once, and tells them over HTTP: see docs/fleet.md. All calls on the Runtime's executor.
class FleetService {
 public:
  /// `runtime` asks the clouds, and does not go by a server itself. Does not suspend. Errors: invalid_argument (an address,
  /// a file, a setting), refused_by_policy (one that is not loopback, without TLS or clients), failed_precondition (it cannot be listened
  /// on).
  static Result<std::shared_ptr<FleetService>> start(Runtime runtime, FleetServiceOptions options = {}, FleetWatchers watchers = {});
  virtual ~FleetService() = default;

  /// `http://127.0.0.1:7070`, one for each address: what ROLLCALL_SERVER takes, joined by commas.
  virtual std::vector<std::string> urls() const = 0;
  /// `127.0.0.1:7071`, one for each address of FleetServiceOptions::xds_listen: what gRPC and Envoy take as the server of discovery.
  virtual std::vector<std::string> xds_addresses() const = 0;
  /// Sends its clients elsewhere, and suspends until they have gone, for `patience` at most; then as stop(). Cancellable: then at once.
  virtual asio::awaitable<void> drain(Duration patience) = 0;
  /// New settings: rights, clients, what is allowed and followed, bounds; they hold from now on, for streams that are open too. Errors: as
  /// start(); failed_precondition: what a running service cannot change (listen). The old ones stay then.
  [[nodiscard]] virtual Result<void> reload(FleetServiceOptions options) = 0;
  /// Closes all connections; idempotent.
  virtual void stop() = 0;
};

}  // namespace rollcall
