// The service as other protocols than HTTP enter it.
#include "fleet/http/service_entry.hpp"

#include "fleet/http/fleet_requests.hpp"

namespace rollcall::fleet {

asio::awaitable<Result<AskerPtr>> FleetRequests::let_in(const ServerRequest& request) {
  const std::shared_ptr<FleetRequests> self = shared_from_this();
  std::optional<Refusal> refusal;
  AskerPtr asker = co_await identify(request, refusal);
  if (refusal) co_return refusal->failure;
  co_return asker;
}

Result<std::unique_ptr<ServiceEntry::Seat>> FleetRequests::seat(const AskerPtr& asker) {
  SeatPtr taken;
  if (const std::optional<Refusal> refusal = take_seat(asker, taken)) return refusal->failure;
  return std::unique_ptr<ServiceEntry::Seat>(std::move(taken));
}

Result<std::shared_ptr<Topic>> FleetRequests::topic_for(const Target& target, const Asker& asker) {
  if (const std::optional<Refusal> refusal = refusal_of_target(target, asker)) return refusal->failure;
  return topic_of(FleetQuestion(target), asker);
}

Result<void> FleetRequests::judge(const Asker& asker, const std::string& target) const {
  const std::optional<Refusal> refusal = withdrawn(asker, target);
  if (refusal) return refusal->failure;
  return Result<void>();
}

void FleetRequests::log(const ServedRequest& event) {
  if (logs_requests()) options_.watchers.requests->on_request(event);
}

}  // namespace rollcall::fleet
