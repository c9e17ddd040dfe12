// A service that asks the clouds once and tells any number of launchers: what `rollcall serve` runs.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class FleetServiceOptions {
 public:
  FleetServiceOptions() {}
  /// `IP:PORT`, IPv6 in brackets; port 0: any. Only loopback addresses: the service does not tell its clients apart.
  std::vector<std::string> listen = {"127.0.0.1:7070"};
};

/// Follows the targets that its clients name, each once, and tells them over HTTP: see docs/fleet.md. All calls on the Runtime's executor.
class FleetService {
 public:
  /// `runtime` asks the clouds, and does not go by a server itself. Does not suspend. Errors: invalid_argument (an address),
  /// refused_by_policy (one that is not loopback), failed_precondition (it cannot be listened on).
  static Result<std::shared_ptr<FleetService>> start(Runtime runtime, FleetServiceOptions options = {});
  virtual ~FleetService() = default;

  /// `http://127.0.0.1:7070`, one for each address: what ROLLCALL_SERVER takes, joined by commas.
  virtual std::vector<std::string> urls() const = 0;
  /// Sends its clients elsewhere, and suspends until they have gone, for `patience` at most; then as stop(). Cancellable: then at once.
  virtual asio::awaitable<void> drain(Duration patience) = 0;
  /// Closes all connections; idempotent.
  virtual void stop() = 0;
};

}  // namespace rollcall
