// Where the other replicas of a service ask the one that leads: what the HTTP interface needs of a fleet for that.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "async/async_event.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_replicas.hpp"

namespace rollcall::fleet {

/// The connection to a replica that follows.
class ReplicaLine {
 public:
  ReplicaLine() {}
  virtual ~ReplicaLine() = default;
  ReplicaLine(const ReplicaLine&) = delete;
  ReplicaLine& operator=(const ReplicaLine&) = delete;
  /// Suspends while the replica does not read. False: the connection is over.
  virtual asio::awaitable<bool> write(std::string events) = 0;
  /// Events are rendered when they can be written: ages in a queue would become wrong. False: the connection is over.
  virtual asio::awaitable<bool> wait_writable() = 0;
  virtual bool is_over() const = 0;
  AsyncEvent news;  ///< woken when the connection is over, and by the fleet
};

class ReplicaDesk {
 public:
  virtual ~ReplicaDesk() = default;
  /// Errors: unavailable: this replica does not lead; the message says which one does.
  virtual Result<void> check_leads() const = 0;
  /// Sends the replica all that changes, until the line is over, this replica leads no more, or the replica has opened another line.
  /// `schema`: the highest that it reads.
  virtual asio::awaitable<void> feed(std::string replica, int schema, ReplicaLine& line) = 0;
  /// The targets that have followers at a replica. Errors: malformed_response, limit_exceeded, failed_precondition (it has no line),
  /// unavailable, as check_leads().
  virtual Result<void> take_wanted(std::string_view json) = 0;
  /// For the operator.
  virtual FleetReplicas replicas() const = 0;
};

/// Bytes of a replica's whole list of wanted targets.
inline constexpr std::size_t max_wanted_body = 8 * 1024 * 1024;

}  // namespace rollcall::fleet
