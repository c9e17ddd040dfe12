// The HTTP interface of the service: docs/fleet.md, "HTTP interface".
#pragma once

#include <memory>

#include "fleet/fleet.hpp"
#include "net/server/http_server.hpp"

namespace rollcall::fleet {

class FleetHttpOptions {
 public:
  FleetHttpOptions() {}
  std::size_t max_followers = 20'000;   ///< streams, and answers that are waited for, of all clients together
  int waiting_a_peer = 16;              ///< of these, of one address that is not this machine's; of an IPv6 network of 64 bits
  int unknown_targets_an_hour = 100;    ///< that an address which is not this machine's may name, and nobody else has named lately
  bool is_for_this_machine = true;  ///< it listens on loopback only: a request for another host's name is a browser's that was led here
};

/// Answers requests about a fleet. All calls are made on the fleet's executor, which is the server's too. Handlers may outlive it.
class FleetHttp {
 public:
  explicit FleetHttp(std::shared_ptr<Fleet> fleet, FleetHttpOptions options = {});
  HttpServer::Handler handler() const;
  /// From now on /readyz says 503, and no stream begins. Those that go on end with `moved`, each at a random moment within `spread`.
  void close(Duration spread = Duration(0));
  /// Streams, and answers that are waited for.
  std::size_t followers() const noexcept;

 private:
  std::shared_ptr<class FleetRequests> service_;
};

/// The same for a service that ends with its server.
HttpServer::Handler make_fleet_handler(std::shared_ptr<Fleet> fleet, FleetHttpOptions options = {});

}  // namespace rollcall::fleet
