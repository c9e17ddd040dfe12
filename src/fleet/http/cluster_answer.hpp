// The answer to GET /v1/clusters/TARGET: one body, at once or when another version than the client's exists.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string_view>

#include "fleet/entry/service_entry.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

class ClusterAnswer {
 public:
  explicit ClusterAnswer(ServiceEntry& entry) : entry_(entry) {}
  /// Suspends until there is an answer. The question's `wait` is counted from the request; before anything is known it does not end it.
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, std::shared_ptr<ViewGroup> group,
                             FleetQuestion question);

 private:
  asio::awaitable<void> send_body(ServerExchange& exchange, ViewGroup& group, std::string_view self, bool is_not_modified);

  ServiceEntry& entry_;
};

}  // namespace rollcall::fleet
