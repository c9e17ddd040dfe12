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

#include "rollcall/error.hpp"
#include "rollcall/http.hpp"

struct ssl_ctx_st;

namespace rollcall {

class ServerRequest {
 public:
  ServerRequest() {}
  std::string method;
  bool is_https = false;
  std::string host;    ///< Host header as sent (with port if any); of a target in absolute form the target's
  std::string target;  ///< path and query as sent
  HeaderList headers;
  std::string body;
};

/// One request being answered. Lives until the handler returns.
class ServerExchange {
 public:
  virtual ~ServerExchange() = default;
  virtual const ServerRequest& request() const = 0;
  /// Sends a well-formed answer (Content-Length is added, unless the headers have a Transfer-Encoding; then body is sent as
  /// chunks) and keeps the connection alive when the client wants that. False when the client is gone.
  virtual asio::awaitable<bool> reply(const HttpResponse& response) = 0;
  /// A well-formed answer in chunks of one's own: the head first, then chunks (none may be empty), then the end. The connection is kept
  /// alive as with reply(); without the end it is closed when the handler returns. False when the client is gone.
  virtual asio::awaitable<bool> start_chunks(const HttpResponse& head) = 0;
  virtual asio::awaitable<bool> write_chunk(std::string_view bytes) = 0;
  virtual asio::awaitable<bool> end_chunks() = 0;
  /// Sends bytes as they are; the connection is closed when the handler returns. False when the client is gone.
  virtual asio::awaitable<bool> write_raw(std::string_view bytes) = 0;
  /// Suspends until the client closes its side; for silence, and beside whatever is awaited meanwhile. (Cancelled by HttpServer::stop.)
  virtual asio::awaitable<void> wait_closed() = 0;
  /// The connection ends with RST when the handler returns.
  virtual void reset() = 0;
};

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
