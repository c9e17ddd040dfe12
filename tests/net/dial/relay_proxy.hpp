// A working proxy: it opens tunnels by CONNECT or by SOCKS5, as requested, plain or over TLS, to one server on loopback for every requested
// name, and records the requests.
#pragma once

#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/connect.hpp>
#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/read_until.hpp>
#include <asio/ssl/context.hpp>
#include <asio/ssl/stream.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "support/certificates.hpp"

namespace rollcall::testing {

class RelayProxy {
 public:
  /// Tunnels lead to `server_port`. With `identity` clients speak TLS to the proxy.
  RelayProxy(asio::io_context& io, std::uint16_t server_port, const CertifiedKey* identity = nullptr)
      : state_(std::make_shared<State>(io, server_port)) {
    if (identity) {
      const std::string certificate = identity->pem();
      const std::string key = identity->key_pem();
      state_->tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
      state_->tls->use_certificate_chain(asio::buffer(certificate));
      state_->tls->use_private_key(asio::buffer(key), asio::ssl::context::pem);
    }
    State::accept(state_);
  }
  ~RelayProxy() { state_->acceptor.close(); }
  RelayProxy(const RelayProxy&) = delete;
  RelayProxy& operator=(const RelayProxy&) = delete;

  std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
  std::string url(const std::string& scheme, const std::string& credentials = "") const {
    return fmt::format("{}://{}127.0.0.1:{}", scheme, credentials, port());
  }
  /// For each tunnel the bytes before it was open; for SOCKS5 the credentials and the request, as text and numbers.
  const std::vector<std::string>& asked() const { return state_->asked; }

 private:
  using tcp = asio::ip::tcp;
  struct State {
    State(asio::io_context& io, std::uint16_t port)
        : acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)), server(asio::ip::address_v4::loopback(), port) {}
    tcp::acceptor acceptor;
    tcp::endpoint server;
    std::unique_ptr<asio::ssl::context> tls;
    std::vector<std::string> asked;

    static void accept(const std::shared_ptr<State>& self) {
      self->acceptor.async_accept([self](std::error_code error, tcp::socket socket) {
        if (error) return;
        const auto executor = self->acceptor.get_executor();
        if (self->tls) {
          using Tls = asio::ssl::stream<tcp::socket>;
          asio::co_spawn(executor, serve(self, std::make_shared<Tls>(std::move(socket), *self->tls)), asio::detached);
        } else {
          asio::co_spawn(executor, serve(self, std::make_shared<tcp::socket>(std::move(socket))), asio::detached);
        }
        accept(self);
      });
    }
  };

  template <class From, class To>
  static asio::awaitable<void> relay(std::shared_ptr<From> from, std::shared_ptr<To> to) {
    std::string buffer(16384, '\0');
    try {
      for (;;) {
        const std::size_t n = co_await from->async_read_some(asio::buffer(buffer), asio::use_awaitable);
        co_await asio::async_write(*to, asio::buffer(buffer.data(), n), asio::use_awaitable);
      }
    } catch (const std::system_error&) {
    }
    std::error_code ignored;
    to->lowest_layer().close(ignored);
    from->lowest_layer().close(ignored);
  }

  template <class Client>
  static asio::awaitable<std::string> take(Client& client, std::size_t bytes) {
    std::string text(bytes, '\0');
    co_await asio::async_read(client, asio::buffer(text), asio::use_awaitable);
    co_return text;
  }

  template <class Client>
  static asio::awaitable<void> say(Client& client, const std::string& text) {
    co_await asio::async_write(client, asio::buffer(text), asio::use_awaitable);
  }

  static std::size_t length(const std::string& text, std::size_t at) { return static_cast<unsigned char>(text.at(at)); }

  template <class Client>
  static asio::awaitable<std::string> greet_socks(Client& client) {
    std::string reported;
    const std::string count = co_await take(client, 1);
    const std::string methods = co_await take(client, length(count, 0));
    const bool wants_password = methods.find('\2') != std::string::npos;
    const std::string method = wants_password ? std::string("\5\2") : std::string("\5\0", 2);
    co_await say(client, method);
    if (wants_password) {
      const std::string head = co_await take(client, 2);
      const std::string user = co_await take(client, length(head, 1));
      const std::string size = co_await take(client, 1);
      const std::string password = co_await take(client, length(size, 0));
      reported = user + ":" + password + "@";
      const std::string taken("\1\0", 2);
      co_await say(client, taken);
    }
    const std::string request = co_await take(client, 5);
    const char kind = request.at(3);
    const std::size_t rest = kind == 1 ? 3 : kind == 4 ? 15 : length(request, 4);
    const std::string host = co_await take(client, rest);
    const std::string port = co_await take(client, 2);
    if (kind == 3) {
      reported += host;
    } else {
      for (const char byte : request.substr(4) + host) reported += fmt::format("{}.", static_cast<unsigned char>(byte));
    }
    reported += fmt::format(":{}", length(port, 0) * 256 + length(port, 1));
    const std::string reply("\5\0\0\1\0\0\0\0\0\0", 10);
    co_await say(client, reply);
    co_return reported;
  }

  template <class Client>
  static asio::awaitable<void> serve(std::shared_ptr<State> self, std::shared_ptr<Client> client) {
    try {
      if constexpr (!std::is_same_v<Client, tcp::socket>)
        co_await client->async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
      std::string reported = co_await take(*client, 1);
      if (reported == "\5") {
        reported = co_await greet_socks(*client);
      } else {
        co_await asio::async_read_until(*client, asio::dynamic_buffer(reported), "\r\n\r\n", asio::use_awaitable);
        const std::string reply = "HTTP/1.1 200 Connection established\r\n\r\n";
        co_await say(*client, reply);
      }
      self->asked.push_back(reported);
      auto server = std::make_shared<tcp::socket>(client->get_executor());
      co_await server->async_connect(self->server, asio::use_awaitable);
      asio::co_spawn(client->get_executor(), relay(client, server), asio::detached);
      asio::co_spawn(client->get_executor(), relay(server, client), asio::detached);
    } catch (const std::system_error&) {
    }
  }

  std::shared_ptr<State> state_;
};

}  // namespace rollcall::testing
