// The service as other protocols than HTTP enter it.
#include "fleet/http/service_entry.hpp"

#include "fleet/http/fleet_requests.hpp"

namespace rollcall::fleet {

asio::awaitable<Result<ClientPtr>> FleetRequests::authenticate(const ServerRequest& request) {
  const std::shared_ptr<FleetRequests> self = shared_from_this();
  std::optional<Refusal> refusal;
  ClientPtr client = co_await identify(request, refusal);
  if (refusal) co_return refusal->failure;
  co_return client;
}

Result<std::unique_ptr<ServiceEntry::StreamSlot>> FleetRequests::slot(const ClientPtr& client) {
  StreamSlotPtr taken;
  if (const std::optional<Refusal> refusal = acquire_slot(client, taken)) return refusal->failure;
  return std::unique_ptr<ServiceEntry::StreamSlot>(std::move(taken));
}

Result<std::shared_ptr<Topic>> FleetRequests::topic_for(const Target& target, const Client& client) {
  if (const std::optional<Refusal> refusal = refusal_of_target(target, client)) return refusal->failure;
  return topic_of(FleetQuestion(target), client);
}

Result<void> FleetRequests::judge(const Client& client, const std::string& target) const {
  const std::optional<Refusal> refusal = withdrawn(client, target);
  if (refusal) return refusal->failure;
  return Result<void>();
}

void FleetRequests::log(const ServedRequest& event) {
  if (logs_requests()) options_.watchers.requests->on_request(event);
}

}  // namespace rollcall::fleet
