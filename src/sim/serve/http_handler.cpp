// Answers one request on a socket by a Cloud, including faults.
#include <fmt/format.h>

#include <algorithm>
#include <asio/experimental/awaitable_operators.hpp>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "sim/serve/socket_servers.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

using asio::experimental::awaitable_operators::operator||;

constexpr std::size_t filler_bytes = 64 * 1024;

Request to_request(const ServerRequest& http) {
  Request out;
  out.method = http.method;
  out.is_https = http.is_https;
  out.host = http.host;
  out.target = http.target;
  out.headers = http.headers;
  out.body = http.body;
  return out;
}

HttpResponse to_response(Reply& reply) {
  HttpResponse out;
  out.status = reply.status;
  out.headers = std::move(reply.headers);
  out.body = corrupted_body(reply);
  if (reply.is_gzip) {
    out.headers.add("Content-Encoding", "gzip");
    out.body = gzip(out.body);
  }
  if (reply.is_chunked) out.headers.add("Transfer-Encoding", "chunked");
  return out;
}

// Status line and header fields. `framing` is a whole line, such as Content-Length.
std::string head_text(const HttpResponse& response, std::string_view framing) {
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", response.status, status_phrase(response.status));
  response.headers.each([&out](std::string_view name, std::string_view value) {
    if (name != "Transfer-Encoding") out += fmt::format("{}: {}\r\n", name, value);
  });
  out.append(framing).append("\r\n\r\n");
  return out;
}

asio::awaitable<void> write_for_ever(ServerExchange& exchange, std::string start, std::string filler) {
  bool is_there = co_await exchange.write_raw(start);
  while (is_there) is_there = co_await exchange.write_raw(filler);
}

asio::awaitable<void> trickle(std::shared_ptr<ServerContext> context, ServerExchange& exchange, std::string message, Fault fault) {
  const std::size_t step = std::max<std::size_t>(fault.bytes.value_or(1), 1);
  for (std::size_t at = 0; at < message.size(); at += step) {
    const bool is_awake = co_await sleep_until(*context->timers, saturating_sum(context->timers->now(), fault.interval));
    if (!is_awake) co_return;
    const bool is_there = co_await exchange.write_raw(std::string_view(message).substr(at, step));
    if (!is_there) co_return;
  }
}

asio::awaitable<void> deliver_corrupted(std::shared_ptr<ServerContext> context, ServerExchange& exchange, HttpResponse response,
                                        Fault fault) {
  const std::string length = fmt::format("Content-Length: {}", response.body.size());
  switch (fault.kind) {
    case FaultKind::refuse:
    case FaultKind::reset: exchange.reset(); break;
    case FaultKind::stall:
    case FaultKind::truncate: {
      const bool is_stall = fault.kind == FaultKind::stall;
      bool is_there = true;
      if (!is_stall || fault.bytes) {
        const std::string start = head_text(response, length) + response.body.substr(0, fault.bytes.value_or(response.body.size() / 2));
        is_there = co_await exchange.write_raw(start);
      }
      if (is_there && is_stall) co_await exchange.wait_closed();
      break;
    }
    case FaultKind::trickle: {
      std::string message = head_text(response, length) + response.body;
      co_await trickle(context, exchange, std::move(message), fault);
      break;
    }
    case FaultKind::wrong_length: {
      const std::string message =
          head_text(response, fmt::format("Content-Length: {}", wrong_length(fault, response.body.size()))) + response.body;
      co_await exchange.write_raw(message);
      break;
    }
    case FaultKind::endless_body: {
      std::string start = head_text(response, "Connection: close") + response.body;
      co_await write_for_ever(exchange, std::move(start), std::string(filler_bytes, ' '));
      break;
    }
    case FaultKind::endless_header: {
      std::string start = "HTTP/1.1 200 OK\r\nX-Filler: ";
      co_await write_for_ever(exchange, std::move(start), std::string(filler_bytes, 'x'));
      break;
    }
    case FaultKind::endless_chunk_extension: {
      std::string start = head_text(response, "Transfer-Encoding: chunked") + "5;x=";
      co_await write_for_ever(exchange, std::move(start), std::string(filler_bytes, 'x'));
      break;
    }
    case FaultKind::none:
    case FaultKind::corrupt: co_await exchange.reply(response); break;
  }
}

// Waits until a held request may be asked again. False if the client has disconnected, or on cancellation.
asio::awaitable<bool> wait_for_turn(ServerContext& context, ServerExchange& exchange, SteadyTime ask_again) {
  AsyncEvent event;
  const std::shared_ptr<void> subscription = context.cloud->subscribe([&event] { event.wake(); });
  auto race = exchange.wait_closed() || event.wait_until(*context.timers, ask_again);
  const auto first = co_await std::move(race);
  co_return first.index() == 1 && std::get<1>(first);
}

// Sends the chunks of the reply, and further ones while the reply continues.
asio::awaitable<void> deliver_chunks(std::shared_ptr<ServerContext> context, ServerExchange& exchange, Request& request, Reply& reply) {
  constexpr std::size_t gzip_piece = 2048;
  std::vector<std::size_t> chunks = std::move(reply.chunks);
  std::optional<Held> more = std::move(reply.more);
  HttpResponse response = to_response(reply);
  const bool is_gzip = response.headers.get("Content-Encoding").has_value();
  if (is_gzip) chunks.assign(response.body.size() / gzip_piece, gzip_piece);
  bool is_there = co_await exchange.start_chunks(response);
  Fault fault;
  while (is_there) {
    std::size_t at = 0;
    for (std::size_t i = 0; is_there && at < response.body.size(); ++i) {
      const std::size_t size = i < chunks.size() ? chunks[i] : response.body.size() - at;
      is_there = co_await exchange.write_chunk(std::string_view(response.body).substr(at, size));
      at += size;
    }
    if (!is_there || !more) break;
    const bool is_turn = co_await wait_for_turn(*context, exchange, more->ask_again);
    if (!is_turn) co_return;
    request.held = std::move(more);
    Reply next = context->cloud->handle(request, context->timers->now());
    response.body = std::move(next.body);
    chunks = std::move(next.chunks);
    more = std::move(next.more);
    fault = next.fault;
  }
  if (is_there && fault.kind == FaultKind::none) co_await exchange.end_chunks();
}

}  // namespace

asio::awaitable<void> serve(std::shared_ptr<ServerContext> context, ServerExchange& exchange) {
  Request request = to_request(exchange.request());
  Reply reply = context->cloud->handle(request, context->timers->now());
  const Duration delay = reply.delay;
  while (reply.hold) {
    const bool is_turn = co_await wait_for_turn(*context, exchange, reply.hold->ask_again);
    if (!is_turn) co_return;
    request.held = std::move(reply.hold);
    reply = context->cloud->handle(request, context->timers->now());
  }
  if (delay > Duration(0)) {
    const bool is_awake = co_await sleep_until(*context->timers, saturating_sum(context->timers->now(), delay));
    if (!is_awake) co_return;
  }
  const bool is_whole = reply.fault.kind == FaultKind::none || reply.fault.kind == FaultKind::corrupt;
  if (is_whole && (reply.more || !reply.chunks.empty())) {
    co_await deliver_chunks(context, exchange, request, reply);
    co_return;
  }
  HttpResponse response = to_response(reply);
  if (is_whole) {
    co_await exchange.reply(response);
  } else {
    co_await deliver_corrupted(context, exchange, std::move(response), reply.fault);
  }
}

}  // namespace rollcall::sim
