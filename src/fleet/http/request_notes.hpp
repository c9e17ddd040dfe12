// What is counted and logged of a request.
#pragma once

#include <string>
#include <string_view>

#include "fleet/entry/client.hpp"
#include "fleet/entry/service_entry.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

/// Filled in while the request is handled. The views are of literals.
class RequestNotes {
 public:
  explicit RequestNotes(SteadyTime at) : began(at) {}
  SteadyTime began;
  std::string_view place = "other";  ///< the path of the route
  std::string_view ended;            ///< of a stream: why it ended; empty: not a stream, or not ended
  std::string question;  ///< as parsed: the request's own text is never repeated; empty unless requests are logged
  std::string target;    ///< empty unless requests are logged
  ClientPtr client;  ///< null: not authenticated
};

/// Writes a line of the request log.
void log_request(ServiceEntry& entry, ServedRequest::Kind kind, const ServerExchange& exchange, const RequestNotes& notes);

/// Counts and logs a request whose handling has ended; nothing if its client left before it was answered.
void finish_request(ServiceEntry& entry, const ServerExchange& exchange, const RequestNotes& notes);

}  // namespace rollcall::fleet
