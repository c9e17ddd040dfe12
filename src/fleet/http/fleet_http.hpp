// The HTTP interface of the service: docs/fleet.md, "HTTP interface".
#pragma once

#include <asio/awaitable.hpp>
#include <memory>

#include "fleet/entry/service_entry.hpp"
#include "fleet/http/route_table.hpp"
#include "net/server/http_server.hpp"

namespace rollcall::fleet {

/// Finds the page of each request, admits its client, and counts and logs the answer. All calls on the fleet's executor, which is the
/// server's too. Owned by a shared_ptr: handlers hold it.
class FleetHttp : public std::enable_shared_from_this<FleetHttp> {
 public:
  explicit FleetHttp(std::shared_ptr<Fleet> fleet, const FleetHttpOptions& options = {});

  HttpServer::Handler handler();
  /// Bodies are read by the pages that have use for one, after the client was admitted.
  HttpServer::BodyRule body_rule();
  /// FleetHttpOptions::is_for_this_machine, from now on.
  void set_for_this_machine(bool alone) noexcept { is_for_this_machine_ = alone; }
  /// For other protocols over the same fleet.
  const std::shared_ptr<ServiceEntry>& entry() const noexcept { return entry_; }

 private:
  asio::awaitable<void> serve(ServerExchange& exchange);
  asio::awaitable<void> handle(ServerExchange& exchange, RequestNotes& notes);
  /// Null: the client was refused, and the answer is sent.
  asio::awaitable<ClientPtr> admit(ServerExchange& exchange);
  asio::awaitable<void> handle_client(ServerExchange& exchange, RequestNotes& notes, const Route* route);
  asio::awaitable<void> dispatch(ServerExchange& exchange, RequestNotes& notes, const Route* route, ClientPtr client);

  std::shared_ptr<ServiceEntry> entry_;
  bool is_for_this_machine_;
  RouteTable routes_;
};

}  // namespace rollcall::fleet
