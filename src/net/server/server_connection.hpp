// One connection of the HTTP server: its coroutine reads requests, has them answered one after the other, and ends. Answers as bytes.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "net/server/answer_writer.hpp"
#include "net/server/http_server.hpp"
#include "net/server/request_parser.hpp"
#include "net/socket/stream.hpp"

namespace rollcall {

/// What the connections of one server share.
class ServerShared {
 public:
  explicit ServerShared(HttpServer::Handler on_request) : handler(std::move(on_request)) {}
  HttpServer::Handler handler;
  std::uint64_t requests = 0;
  std::uint64_t accepted = 0;
  std::size_t open = 0;
};

class ServerConnection final : public AnswerWriter,
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
  asio::awaitable<bool> wait_writable() override;

 private:
  asio::awaitable<bool> send(std::span<const std::string_view> pieces) override;
  void on_watched() override;
  void watch();
  void unwatch();
  void on_readable(std::uint64_t number);
  asio::awaitable<bool> shake_hands();
  asio::awaitable<bool> read_request();
  asio::awaitable<bool> write_all(std::string_view bytes);
  /// Reads what is there. False when the connection is at its end.
  asio::awaitable<bool> fill();
  IoResult read_some();

  std::shared_ptr<ServerShared> shared_;
  Stream stream_;
  ssl_st* handshake_;
  asio::cancellation_signal signal_;
  RequestParser parser_;
  ServerRequest request_;
  std::string input_;   ///< read and not yet parsed
  std::uint64_t watch_ = 0;      ///< counts the waits of watch(): one that ended may still have its handler queued
  bool is_watched_ = false;
};

}  // namespace rollcall
