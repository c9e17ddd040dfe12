// The stream of GET /v1/clusters/TARGET: the latest state as Server-Sent Events, as fast as the client reads them.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "fleet/entry/rights_watch.hpp"
#include "fleet/http/request_notes.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

class ClusterStream {
 public:
  explicit ClusterStream(ServiceEntry& entry) : entry_(entry) {}
  /// Suspends until the stream has ended.
  asio::awaitable<void> send(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot,
                             std::shared_ptr<ViewGroup> group, std::string self);

 private:
  asio::awaitable<bool> has_caught_up(ServerExchange& exchange);
  std::optional<GroupEvent> withdrawal(const ViewGroup& group, const SentState& sent, const Client& client, RightsWatch& rights) const;
  SteadyTime now() const { return entry_.now(); }

  ServiceEntry& entry_;
};

/// Begins a stream of events with these bytes. False: the client has left.
asio::awaitable<bool> open_event_stream(ServerExchange& exchange, SharedText first);

}  // namespace rollcall::fleet
