// A path with a round trip between a client and the stub. What the client sends arrives a round trip later, and the first of it one more:
// that of TCP's handshake, which the loopback answers at once. Answers arrive at once. Bytes on the way do not hold up later ones, unless
// the path starts slowly: then each direction of a connection has a congestion window, as TCP has.
#pragma once

#include <algorithm>
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

/// TCP's slow start, RFC 5681, of a path without loss: ten segments (RFC 6928), and twice as many after each round trip that used them. It
/// does not begin again after a pause, as Linux does.
class CongestionWindow {
 public:
  using Time = std::chrono::steady_clock::time_point;
  CongestionWindow(std::chrono::milliseconds round_trip, bool is_open) : trip_(round_trip), is_open_(is_open) {}

  /// How many of so many bytes leave at once.
  std::size_t take(std::size_t wanted, Time now) {
    if (is_open_) return wanted;
    for (; !unacknowledged_.empty() && unacknowledged_.front().first <= now; unacknowledged_.pop_front()) {
      in_flight_ -= unacknowledged_.front().second;
      window_ += unacknowledged_.front().second;
    }
    const std::size_t taken = std::min(wanted, window_ - in_flight_);
    in_flight_ += taken;
    if (taken > 0) unacknowledged_.emplace_back(now + trip_, taken);
    return taken;
  }
  /// When more may leave, if nothing may now.
  Time next() const { return unacknowledged_.front().first; }

 private:
  const std::chrono::milliseconds trip_;
  const bool is_open_;
  std::size_t window_ = 10 * 1460;
  std::size_t in_flight_ = 0;
  std::deque<std::pair<Time, std::size_t>> unacknowledged_;
};

class DelayLine {
 public:
  DelayLine(asio::ip::tcp::socket client_socket, LocalSocket stub_socket, std::chrono::milliseconds round_trip, bool starts_slowly)
      : client(std::move(client_socket)), stub(std::move(stub_socket)), trip(round_trip), up(round_trip, !starts_slowly),
        down(round_trip, !starts_slowly), arrival(client.get_executor()), departure(client.get_executor()) {}
  asio::ip::tcp::socket client;
  LocalSocket stub;
  const std::chrono::milliseconds trip;
  CongestionWindow up, down;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::string>> sent;  // an empty text: the client has closed
  asio::steady_timer arrival;
  asio::steady_timer departure;  // of what the client sends
};

/// Waits until some of the bytes may leave, and gives their number.
inline asio::awaitable<std::size_t> leave(CongestionWindow& window, asio::steady_timer& timer, std::size_t size) {
  std::error_code error;
  std::size_t taken = window.take(size, std::chrono::steady_clock::now());
  while (taken == 0) {
    timer.expires_at(window.next());
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    taken = window.take(size, std::chrono::steady_clock::now());
  }
  co_return taken;
}

inline void send_on_the_way(DelayLine& line, std::string bytes, std::chrono::milliseconds more) {
  line.sent.emplace_back(std::chrono::steady_clock::now() + line.trip + more, std::move(bytes));
  if (line.sent.size() == 1) line.arrival.cancel();
}

inline asio::awaitable<void> take_from_client(std::shared_ptr<DelayLine> line) {
  std::error_code error;
  std::string bytes(16 * 1024, '\0');
  for (auto more = line->trip; !error; more = std::chrono::milliseconds(0)) {
    const std::size_t size = co_await line->client.async_read_some(asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    for (std::size_t at = 0; at < size;) {
      const std::size_t taken = co_await leave(line->up, line->departure, size - at);
      send_on_the_way(*line, bytes.substr(at, taken), more);
      at += taken;
    }
  }
  send_on_the_way(*line, {}, std::chrono::milliseconds(0));
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
  asio::steady_timer timer(line->client.get_executor());
  while (!error) {
    const std::size_t size = co_await line->stub.async_read_some(asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    for (std::size_t at = 0; at < size && !error;) {
      const std::size_t taken = co_await leave(line->down, timer, size - at);
      co_await asio::async_write(line->client, asio::buffer(bytes.data() + at, taken), asio::redirect_error(asio::use_awaitable, error));
      at += taken;
    }
  }
  line->client.close(error);
}

/// The stub's end of it.
inline LocalSocket delay(asio::ip::tcp::socket client, std::chrono::milliseconds round_trip, bool starts_slowly) {
  const auto executor = client.get_executor();
  LocalSocket inner(executor), outer(executor);
  asio::local::connect_pair(inner, outer);
  const auto line = std::make_shared<DelayLine>(std::move(client), std::move(inner), round_trip, starts_slowly);
  asio::co_spawn(executor, take_from_client(line), asio::detached);
  asio::co_spawn(executor, bring_to_stub(line), asio::detached);
  asio::co_spawn(executor, bring_to_client(line), asio::detached);
  return outer;
}

}  // namespace bench
