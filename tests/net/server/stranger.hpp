// A server with a service's limits on a clock that the test moves, and untrusted clients.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "net/server/http_server.hpp"
#include "rollcall/testing/fake_time.hpp"

namespace rollcall::testing {

/// A raw socket that follows no protocol. It never blocks.
class Stranger {
 public:
  /// `receive_buffer`: of the kernel, in bytes; 0: the default.
  explicit Stranger(std::uint16_t port, int receive_buffer = 0)
      : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    if (receive_buffer > 0) ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int result = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    if (result != 0 && errno != EINPROGRESS) throw std::runtime_error("cannot connect");
  }
  ~Stranger() { close(); }
  Stranger(Stranger&& other) noexcept : heard(std::move(other.heard)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  /// How many of the bytes the kernel accepted.
  std::size_t send(std::string_view bytes) {
    const ssize_t n = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  /// Appends available data to `heard`. True if the server has closed.
  bool listen(std::size_t at_most = 1 << 30) {
    std::string buffer(64 * 1024, '\0');
    while (at_most > 0) {
      const ssize_t n = ::recv(descriptor_, buffer.data(), std::min(buffer.size(), at_most), 0);
      if (n < 0) {
        error = errno;
        return errno != EAGAIN;
      }
      if (n == 0) return true;
      heard.append(buffer, 0, static_cast<std::size_t>(n));
      at_most -= static_cast<std::size_t>(n);
    }
    return false;
  }
  void half_close() { ::shutdown(descriptor_, SHUT_WR); }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  int descriptor() const noexcept { return descriptor_; }

  std::string heard;
  int error = 0;

 private:
  int descriptor_;
};

class StrangerFixture {
 public:
  explicit StrangerFixture(HttpServer::Handler handler, ServerLimits limits = {})
      : server(io.get_executor(), std::move(handler), limits, time), port(server.listen("127.0.0.1", 0).value()) {}

  /// Runs what is ready; time stands still.
  void poll() {
    io.restart();
    while (io.poll() > 0) {
    }
  }
  /// Runs the loop until `done`, on real events; time stands still.
  void run_until(const std::function<bool()>& done) {
    io.restart();
    while (!done()) {
      if (io.run_one() == 0) throw std::runtime_error("nothing is left to wait for");
    }
  }
  /// Lets that much time pass, a quarter of a second at a time.
  void pass(double seconds) {
    for (double left = seconds; left > 0; left -= 0.25) {
      poll();
      time->advance(std::chrono::milliseconds(250));
      poll();
    }
  }
  /// Until the server has closed; its data is in `heard`.
  void hear_out(Stranger& client) {
    for (bool is_over = client.listen(); !is_over; is_over = client.listen()) {
      poll();
    }
  }
  void wait_for_requests(std::uint64_t count) {
    run_until([&] { return server.requests() >= count; });
  }
  void wait_until_empty() {
    run_until([&] { return server.connections_open() == 0; });
  }

  asio::io_context io{1};
  std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();
  HttpServer server;
  std::uint16_t port;
};

}  // namespace rollcall::testing
