// Waits until the topics of an answer have been polled.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "fleet/entry/service_entry.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

/// True if the last poll is older than an answer, or a final failure, may be; also if there was none.
bool is_old_poll(const std::optional<SteadyTime>& polled_at, SteadyTime now) noexcept;

/// Follows the topics and suspends until each has a recent poll, for 20 s at most. The references live as long as the await. False: the
/// client has left.
asio::awaitable<bool> wait_for_polls(ServiceEntry& entry, ServerExchange& exchange, std::vector<std::shared_ptr<Topic>> topics);

}  // namespace rollcall::fleet
