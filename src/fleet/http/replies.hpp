// Ways to send an answer that all pages share. The references live as long as the await.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "fleet/entry/body.hpp"
#include "fleet/entry/refusal.hpp"
#include "fleet/entry/service_entry.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

/// Sends a refusal, with the time after which the client may try again.
asio::awaitable<void> refuse(ServiceEntry& entry, ServerExchange& exchange, Refusal refusal);
/// The same for 405. `allow`: the methods of the path, a literal.
asio::awaitable<void> refuse_method(ServiceEntry& entry, ServerExchange& exchange, Refusal refusal, std::string_view allow);

/// Sends plain text.
asio::awaitable<void> reply_text(ServerExchange& exchange, int status, std::string text);

/// Sends a body, compressed if the client accepts that.
asio::awaitable<void> reply_body(ServerExchange& exchange, HttpResponse head, Body body);
/// The bytes of the body that the client accepts; adds the Content-Encoding to `head`.
SharedText encoded_bytes(const ServerRequest& request, HttpResponse& head, Body body);

/// True for HEAD, whose answer has no body.
bool is_head(const ServerExchange& exchange) noexcept;
/// The answer to HEAD, without the length that the body of GET would have: the body is not rendered.
asio::awaitable<void> reply_head(ServerExchange& exchange, HttpResponse head);

/// Adds the schedule by which clients query the cloud if they lose the service.
void add_fallback(ServiceEntry& entry, HttpResponse& response);

/// Why a body was not read, by the status to answer with: see ServerExchange::read_body().
Failure unread_body(int status);

/// The head of an answer that browsers display: it may load from this service alone, and no other site may embed it.
HttpResponse browser_head(std::string_view content_type);

}  // namespace rollcall::fleet
