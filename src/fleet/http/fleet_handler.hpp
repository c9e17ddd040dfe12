// The HTTP interface of the service: docs/fleet.md, "HTTP interface".
#pragma once

#include <memory>

#include "fleet/fleet.hpp"
#include "fleet/rights/access.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/fleet_service.hpp"

namespace rollcall::fleet {

class FleetHttpOptions {
 public:
  FleetHttpOptions() {}
  FleetBounds bounds;
  std::shared_ptr<Access> access;   ///< null: everybody may ask everything
  /// It listens on loopback only, and has no clients: a request for another host's name is a browser's that was led here.
  bool is_for_this_machine = true;
  FleetWatchers watchers;
};

/// Answers requests about a fleet. All calls are made on the fleet's executor, which is the server's too. Handlers may outlive it.
class FleetHttp {
 public:
  explicit FleetHttp(std::shared_ptr<Fleet> fleet, FleetHttpOptions options = {});
  HttpServer::Handler handler() const;
  /// Which questions have a body, for the server: none is read before it is known who asks.
  static HttpServer::BodyRule body_rule();
  /// From now on /readyz says 503, and no stream begins. Those that go on end with `moved`, each at a random moment within `spread`.
  void close(Duration spread = Duration(0));
  /// From now on until close() the loop is looked at once a second: how much later than planned it comes to that.
  void watch_loop();
  /// From now on. Of what goes on, what may not be read any more ends; call it after each change of the rights.
  void change(const FleetBounds& bounds);
  /// FleetHttpOptions::is_for_this_machine, from now on.
  void be_for_this_machine(bool alone);
  /// Clients prove anew who they are: their streams end as those whose proof is over.
  void require_reauthentication();
  /// Streams, and answers that are waited for.
  std::size_t followers() const noexcept;
  /// For other protocols that tell of the same fleet.
  std::shared_ptr<class ServiceEntry> entry() const;

 private:
  std::shared_ptr<class FleetRequests> service_;
};

/// The same for a service that ends with its server.
HttpServer::Handler make_fleet_handler(std::shared_ptr<Fleet> fleet, FleetHttpOptions options = {});

}  // namespace rollcall::fleet
