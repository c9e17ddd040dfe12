// What answers the requests for one path.
#pragma once

#include <asio/awaitable.hpp>
#include <string_view>
#include <utility>

#include "fleet/entry/client.hpp"
#include "fleet/http/request_notes.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

/// A request for a page. The references live until the page has answered.
class PageRequest {
 public:
  PageRequest(ServerExchange& of, RequestNotes& noted, ClientPtr from, std::string_view behind)
      : exchange(of), notes(noted), client(std::move(from)), rest(behind) {}
  ServerExchange& exchange;
  RequestNotes& notes;
  ClientPtr client;       ///< null: the route requires no client
  std::string_view rest;  ///< the request's target behind the path of the route
};

class Page {
 public:
  virtual ~Page() = default;
  virtual asio::awaitable<void> answer(PageRequest request) = 0;
};

}  // namespace rollcall::fleet
