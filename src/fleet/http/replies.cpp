#include "fleet/http/replies.hpp"

#include <fmt/format.h>

#include <utility>

#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/wire/documents.hpp"

namespace rollcall::fleet {
namespace {

int spread_seconds(ServiceEntry& entry, int min, int spread) { return min + static_cast<int>(entry.runtime()->uniform() * spread); }

}  // namespace

// Not a default argument: it would take room in the frame of each coroutine that awaits refuse().
asio::awaitable<void> refuse(ServiceEntry& entry, ServerExchange& exchange, Refusal refusal) {
  return refuse_method(entry, exchange, std::move(refusal), {});
}

asio::awaitable<void> refuse_method(ServiceEntry& entry, ServerExchange& exchange, Refusal refusal, std::string_view allow) {
  HttpResponse response;
  response.status = refusal.status;
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("X-Content-Type-Options", "nosniff");
  if (refusal.status == 401) response.headers.add("WWW-Authenticate", "Bearer");
  if (!allow.empty()) response.headers.add("Allow", std::string(allow));
  // Random times: clients that are refused together must not come back together.
  if (refusal.status == 429) response.headers.add("Retry-After", fmt::format_int(spread_seconds(entry, 30, 31)).c_str());
  if (refusal.status == 503) {
    response.headers.add("Retry-After", fmt::format_int(spread_seconds(entry, 5, 11)).c_str());
    add_fallback(entry, response);
  }
  response.body = render_failure_body(refusal.target, refusal.failure);
  co_await exchange.reply(response);
}

asio::awaitable<void> reply_text(ServerExchange& exchange, int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  response.body = std::move(text);
  co_await exchange.reply(response);
}

SharedText encoded_bytes(const ServerRequest& request, HttpResponse& head, Body body) {
  const bool is_packed = body.packed && takes_gzip(joined_field(request.headers, "Accept-Encoding"));
  if (is_packed) head.headers.add("Content-Encoding", "gzip");
  return is_packed ? body.packed : body.plain;
}

// Holds the bytes that are sent, and not the other encoding.
asio::awaitable<void> reply_body(ServerExchange& exchange, HttpResponse head, Body body) {
  const SharedText bytes = encoded_bytes(exchange.request(), head, std::move(body));
  co_await exchange.reply(head, bytes);
}

bool is_head(const ServerExchange& exchange) noexcept { return exchange.request().method == "HEAD"; }

asio::awaitable<void> reply_head(ServerExchange& exchange, HttpResponse head) {
  const bool is_open = co_await exchange.start_chunks(head);
  if (is_open) co_await exchange.end_chunks();
}

void add_fallback(ServiceEntry& entry, HttpResponse& response) {
  response.headers.add("Rollcall-Fallback", entry.fallback_schedule().to_header());
}

HttpResponse browser_head(std::string_view content_type) {
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", std::string(content_type));
  head.headers.add(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
      "base-uri 'none'; form-action 'none'");
  head.headers.add("X-Content-Type-Options", "nosniff");
  head.headers.add("Referrer-Policy", "no-referrer");
  head.headers.add("Cross-Origin-Opener-Policy", "same-origin");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept-Encoding");
  return head;
}

Failure unread_body(int status) {
  if (status == 503)
    return Failure(Errc::limit_exceeded, "the requests of other clients have taken all of the memory for bodies")
        .with_hint("ask again later");
  if (status == 413) return Failure(Errc::limit_exceeded, "the body is too long");
  return Failure(Errc::invalid_argument, status == 408 ? "the body did not arrive in time" : "the body is not well-formed HTTP/1.1");
}

}  // namespace rollcall::fleet
