#include "fleet/http/fleet_handler.hpp"

#include "fleet/http/fleet_requests.hpp"

namespace rollcall::fleet {

FleetHttp::FleetHttp(std::shared_ptr<Fleet> fleet, FleetHttpOptions options)
    : service_(std::make_shared<FleetRequests>(std::move(fleet), std::move(options))) {}
HttpServer::Handler FleetHttp::handler() const {
  return [service = service_](ServerExchange& exchange) { return service->serve(exchange); };
}
HttpServer::BodyRule FleetHttp::body_rule() { return max_body_of; }
void FleetHttp::watch_loop() { service_->watch_loop(); }
void FleetHttp::change(const FleetBounds& bounds) { service_->change(bounds); }
void FleetHttp::be_for_this_machine(bool alone) { service_->be_for_this_machine(alone); }
void FleetHttp::require_reauthentication() { service_->require_reauthentication(); }
void FleetHttp::close(Duration spread) { service_->close(spread); }
std::size_t FleetHttp::followers() const noexcept { return service_->followers(); }

std::shared_ptr<ServiceEntry> FleetHttp::entry() const { return service_; }

HttpServer::Handler make_fleet_handler(std::shared_ptr<Fleet> fleet, FleetHttpOptions options) {
  return FleetHttp(std::move(fleet), std::move(options)).handler();
}

}  // namespace rollcall::fleet
