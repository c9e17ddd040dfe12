// A path with a round trip between a client and the stub. What the client sends arrives a round trip later, and the first of it one more:
// that of TCP's handshake, which the loopback answers at once. Answers arrive at once. Bytes on the way do not hold up later ones.
#pragma once

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/connect_pair.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace bench {

using LocalSocket = asio::local::stream_protocol::socket;

class DelayLine {
 public:
  DelayLine(asio::ip::tcp::socket client_socket, LocalSocket stub_socket, std::chrono::milliseconds round_trip)
      : client(std::move(client_socket)), stub(std::move(stub_socket)), trip(round_trip), arrival(client.get_executor()) {}
  asio::ip::tcp::socket client;
  LocalSocket stub;
  const std::chrono::milliseconds trip;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::string>> sent;  // an empty text: the client has closed
  asio::steady_timer arrival;
};

inline asio::awaitable<void> take_from_client(std::shared_ptr<DelayLine> line) {
  std::error_code error;
  for (auto more = line->trip; !error; more = std::chrono::milliseconds(0)) {
    std::string bytes(16 * 1024, '\0');
    const std::size_t size = co_await line->client.async_read_some(asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    bytes.resize(error ? 0 : size);
    line->sent.emplace_back(std::chrono::steady_clock::now() + line->trip + more, std::move(bytes));
    if (line->sent.size() == 1) line->arrival.cancel();
  }
}

inline asio::awaitable<void> bring_to_stub(std::shared_ptr<DelayLine> line) {
  std::error_code error;
  for (;;) {
    const bool is_empty = line->sent.empty();
    line->arrival.expires_at(is_empty ? std::chrono::steady_clock::time_point::max() : line->sent.front().first);
    co_await line->arrival.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (is_empty) continue;
    const std::string bytes = std::move(line->sent.front().second);
    line->sent.pop_front();
    if (bytes.empty()) break;
    co_await asio::async_write(line->stub, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
  }
  line->stub.shutdown(LocalSocket::shutdown_send, error);
}

inline asio::awaitable<void> bring_to_client(std::shared_ptr<DelayLine> line) {
  std::error_code error;
  std::string bytes(64 * 1024, '\0');
  for (;;) {
    const std::size_t size = co_await line->stub.async_read_some(asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
    co_await asio::async_write(line->client, asio::buffer(bytes.data(), size), asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
  }
  line->client.close(error);
}

/// The stub's end of it.
inline LocalSocket delay(asio::ip::tcp::socket client, std::chrono::milliseconds round_trip) {
  const auto executor = client.get_executor();
  LocalSocket inner(executor), outer(executor);
  asio::local::connect_pair(inner, outer);
  const auto line = std::make_shared<DelayLine>(std::move(client), std::move(inner), round_trip);
  asio::co_spawn(executor, take_from_client(line), asio::detached);
  asio::co_spawn(executor, bring_to_stub(line), asio::detached);
  asio::co_spawn(executor, bring_to_client(line), asio::detached);
  return outer;
}

}  // namespace bench
