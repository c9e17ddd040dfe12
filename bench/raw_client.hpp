// The floor: Asio alone. No parser, no retry, no pool, no time-outs: a fixed set of keep-alive connections.
#pragma once

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

namespace bench {

struct RawLoad {
  int next = 0;
  int count = 0;
  int answered = 0;
};

inline asio::awaitable<void> raw_connection(asio::ip::tcp::socket& socket, RawLoad& load) {
  std::array<char, 65536> buffer;
  while (load.next < load.count) {
    const std::string request = "GET /v2/projects/p/locations/z/nodes/node-" + std::to_string(load.next++) +
                                " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer test-token\r\nUser-Agent: raw\r\n\r\n";
    co_await asio::async_write(socket, asio::buffer(request), asio::use_awaitable);
    std::size_t have = 0;
    std::size_t want = 0;
    do {
      const std::size_t got =
          co_await socket.async_read_some(asio::buffer(buffer.data() + have, buffer.size() - have), asio::use_awaitable);
      have += got;
      const std::string_view text(buffer.data(), have);
      const std::size_t end = text.find("\r\n\r\n");
      const std::size_t length = text.find("Content-Length: ");
      if (end == std::string_view::npos || length == std::string_view::npos) continue;
      std::size_t body = 0;
      std::from_chars(text.data() + length + 16, text.data() + have, body);
      want = end + 4 + body;
    } while (want == 0 || have < want);
    if (std::string_view(buffer.data(), have).find("\"READY\"") != std::string_view::npos) ++load.answered;
  }
}

class RawClient {
 public:
  RawClient(asio::io_context& io, std::uint16_t port, int connections) : io_(io) {
    for (int i = 0; i < connections; ++i) {
      sockets_.push_back(std::make_unique<asio::ip::tcp::socket>(io));
      sockets_.back()->connect({asio::ip::make_address("127.0.0.1"), port});
      sockets_.back()->set_option(asio::ip::tcp::no_delay(true));
    }
  }
  /// Returns how many nodes were READY.
  int run(int count) {
    RawLoad load;
    load.count = count;
    for (auto& socket : sockets_) asio::co_spawn(io_, raw_connection(*socket, load), asio::detached);
    io_.restart();
    io_.run();
    return load.answered;
  }

 private:
  asio::io_context& io_;
  std::vector<std::unique_ptr<asio::ip::tcp::socket>> sockets_;
};

}  // namespace bench
