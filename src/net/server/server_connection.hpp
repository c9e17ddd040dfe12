// One connection of the HTTP server: its coroutine reads requests, has them answered one after the other, and ends. Answers as bytes.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "net/server/http_server.hpp"
#include "net/server/request_parser.hpp"
#include "net/socket/stream.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

/// Appends the answer. Content-Length is added unless the headers have it or a Transfer-Encoding, in which case the body goes
/// out as chunks; `Connection: close` when the connection is not kept alive and the headers do not say so. An answer to HEAD,
/// 204 and 304 have no body.
void append_response(std::string& out, const HttpResponse& response, bool is_head, bool keeps_alive);

/// The head of an answer whose body follows in chunks, and one chunk of it; an empty one ends the body.
void append_chunked_head(std::string& out, const HttpResponse& response, bool keeps_alive);
void append_chunk(std::string& out, std::string_view bytes);

/// What the connections of one server share.
class ServerShared {
 public:
  explicit ServerShared(HttpServer::Handler on_request) : handler(std::move(on_request)) {}
  HttpServer::Handler handler;
  std::uint64_t requests = 0;
  std::uint64_t accepted = 0;
  std::size_t open = 0;
};

class ServerConnection final : public ServerExchange,
                               public std::enable_shared_from_this<ServerConnection>,
                               public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// `ssl`: a server-side TLS object whose handshake is yet to be done, or null. Taken over.
  ServerConnection(std::shared_ptr<ServerShared> shared, asio::ip::tcp::socket socket, ssl_st* ssl);
  ~ServerConnection() override;

  /// Until the connection ends; cancellable.
  asio::awaitable<void> run();
  asio::cancellation_signal& signal() noexcept { return signal_; }
  void close() noexcept { stream_.close(); }

  const ServerRequest& request() const override { return request_; }
  asio::awaitable<bool> reply(const HttpResponse& response) override;
  asio::awaitable<bool> start_chunks(const HttpResponse& head) override;
  asio::awaitable<bool> write_chunk(std::string_view bytes) override;
  asio::awaitable<bool> end_chunks() override;
  asio::awaitable<bool> write_raw(std::string_view bytes) override;
  asio::awaitable<void> wait_closed() override;
  void reset() override { is_reset_ = true; }

 private:
  asio::awaitable<bool> shake_hands();
  asio::awaitable<bool> read_request();
  asio::awaitable<bool> write_all(std::string_view bytes);
  /// Reads what is there. False when the connection is at its end.
  asio::awaitable<bool> fill();

  std::shared_ptr<ServerShared> shared_;
  Stream stream_;
  ssl_st* handshake_;
  asio::cancellation_signal signal_;
  RequestParser parser_;
  ServerRequest request_;
  std::string input_;   ///< read and not yet parsed
  std::string output_;
  bool keeps_alive_ = false;
  bool has_replied_ = false;
  bool is_reset_ = false;
};

}  // namespace rollcall
