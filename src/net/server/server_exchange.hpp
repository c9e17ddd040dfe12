// The interface of a handler of the HTTP server: a request, and the ways to answer it, including faulty ones. Over a socket, or in memory.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/async_event.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The content of a client's certificate, after its chain and its dates were verified.
class ClientCertificate {
 public:
  ClientCertificate() {}
  std::vector<std::string>
      names;  ///< its subject alternative names unchanged: `SCHEME:…` is a URI, `a@b` an e-mail address, else a DNS name
  WallTime expires{};
};

class ServerRequest {
 public:
  ServerRequest() {}
  std::string method;
  bool is_https = false;
  std::string peer;    ///< the client's address, without its port; empty: not known
  std::string host;    ///< Host header as sent (with port if any); for a target in absolute form the target's
  std::string target;  ///< path and query as sent
  HeaderList headers;
  std::string body;
  std::shared_ptr<const ClientCertificate> certificate;  ///< null: the client presented none
};

/// What a connection's sender was held up by, since it was opened, as the kernel counts it.
class SendingTimes {
 public:
  SendingTimes() {}
  Duration busy{0};         ///< with data to send, or to be acknowledged
  Duration by_receiver{0};  ///< of it with a full window of the receiver
};

class ServerExchange;

/// Wakes `event` once the client has gone, and at once if that is known already; while this object lives. Needs no coroutine: a handler
/// that waits for other events can wait for the end with the same event. Check ServerExchange::is_closed() then.
class ClosedWatch : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  ClosedWatch(ServerExchange& exchange, AsyncEvent& event);
  ClosedWatch(const ClosedWatch&) = delete;
  ClosedWatch& operator=(const ClosedWatch&) = delete;

 private:
  friend class ServerExchange;
  AsyncEvent& event_;
};

/// One request being answered. Lives until the handler returns.
class ServerExchange {
 public:
  ServerExchange() {}
  virtual ~ServerExchange() = default;
  ServerExchange(const ServerExchange&) = delete;
  ServerExchange& operator=(const ServerExchange&) = delete;

  virtual const ServerRequest& request() const = 0;
  /// The body, if it was left to the handler (HttpServer::leave_bodies()), which must call this before it answers or watches; else the body
  /// that was read with the request. Suspends until it is complete. Returns 0, or the status to answer with: 408, 413, 503 (other requests'
  /// bodies use all the room), 400. If the client has gone meanwhile nothing can be answered.
  virtual asio::awaitable<int> read_body(std::string& into) {
    into = request().body;
    co_return 0;
  }
  /// Sends a well-formed answer (Content-Length is added, unless the headers have a Transfer-Encoding; then body is sent as chunks) and
  /// keeps the connection alive when the client wants that and the answer has no `Connection: close`. False when the client is gone.
  virtual asio::awaitable<bool> reply(const HttpResponse& response) = 0;
  /// The same with a shared body, for many answers; the body in `head` is not sent. A large body is not copied.
  virtual asio::awaitable<bool> reply(const HttpResponse& head, std::shared_ptr<const std::string> body) = 0;
  /// A well-formed answer in chunks: the head first, then chunks (none may be empty), then the end. The connection is kept alive as with
  /// reply(); without the end it is closed when the handler returns. A large chunk is not copied: its bytes must live as long as the await.
  /// False when the client is gone.
  virtual asio::awaitable<bool> start_chunks(const HttpResponse& head) = 0;
  virtual asio::awaitable<bool> write_chunk(std::string_view bytes) = 0;
  virtual asio::awaitable<bool> end_chunks() = 0;
  /// Suspends until nearly all earlier data has been sent, so that the next short chunk is sent at once and its content is current. False
  /// when the client is gone.
  virtual asio::awaitable<bool> wait_writable() = 0;
  /// Sends bytes unchanged; the connection is closed when the handler returns. False when the client is gone.
  virtual asio::awaitable<bool> write_raw(std::string_view bytes) = 0;
  /// Zero where it is not known.
  virtual SendingTimes sending_times() { return {}; }
  /// The connection ends with RST when the handler returns.
  virtual void reset() = 0;

  /// True once the client is known to have gone: it closed, was disconnected, or was dropped for its input or for not reading.
  bool is_closed() const noexcept { return is_closed_; }
  /// For statistics and logs: the answer's status, 0 before it has one, and the bytes of its body so far.
  int answered_status() const noexcept { return answered_status_; }
  std::uint64_t answered_bytes() const noexcept { return answered_bytes_; }
  /// Suspends until the client closes its side; for silence, and beside other waits. (Cancelled by HttpServer::stop.) For a handler that
  /// also waits for other events a ClosedWatch is cheaper.
  asio::awaitable<void> wait_closed();

 protected:
  /// There is a watch now: from here on, until the handler returns, note_closed() must be called when the client goes.
  virtual void on_watched() = 0;
  void note_closed() noexcept;
  /// Called at each answer's begin, and as parts of its body are sent.
  void note_answer(int status, std::size_t body_bytes) noexcept {
    answered_status_ = status;
    answered_bytes_ = body_bytes;
  }
  void note_chunk(std::size_t bytes) noexcept { answered_bytes_ += bytes; }

 private:
  friend class ClosedWatch;
  boost::intrusive::list<ClosedWatch, boost::intrusive::constant_time_size<false>> watches_;
  std::uint64_t answered_bytes_ = 0;
  int answered_status_ = 0;
  bool is_closed_ = false;
};

}  // namespace rollcall
