// A small HTTP/1.1 server for the simulated cloud and the tests: keep-alive, chunked requests bodies, TLS by SNI. Its
// handlers may also misbehave on purpose: raw bytes, silence, resets.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/server/server_exchange.hpp"
#include "rollcall/error.hpp"

struct ssl_ctx_st;

namespace rollcall {

class HttpServer {
 public:
  using Handler = std::function<asio::awaitable<void>(ServerExchange&)>;
  /// Chooses a context by the client's SNI ("" when none); nullptr refuses the handshake. Not owned.
  using TlsChooser = std::function<ssl_ctx_st*(std::string_view server_name)>;

  HttpServer(asio::any_io_executor executor, Handler handler);
  ~HttpServer();
  /// Listens on `ip`:`port` (0 = any) with TLS when `tls` is set; returns the port. May be called several times.
  Result<std::uint16_t> listen(const std::string& ip, std::uint16_t port, TlsChooser tls = {});
  /// Closes listeners and connections. Handlers in progress are cancelled.
  void stop();
  std::uint64_t requests() const noexcept;
  std::uint64_t connections_accepted() const noexcept;
  std::size_t connections_open() const noexcept;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall
