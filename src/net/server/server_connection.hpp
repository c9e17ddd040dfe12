// One connection of the HTTP server: its coroutine reads requests, has them answered one after the other, and ends. Ten thousand of them
// wait most of the time, so that what each keeps while it waits is counted in hundreds of bytes.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/timer_queue.hpp"
#include "net/server/answer_writer.hpp"
#include "net/server/http_server.hpp"
#include "net/server/request_parser.hpp"
#include "net/server/server_tls.hpp"
#include "net/socket/stream.hpp"

namespace rollcall {

class IdleTag;
using IdleHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<IdleTag>, boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// A connection that waits for another request.
class IdleConnection : public IdleHook {
 public:
  /// It ends, a little later.
  virtual void end_idle() noexcept = 0;

 protected:
  ~IdleConnection() = default;
};

/// What the connections of one server share.
class ServerShared {
 public:
  /// `queue` may be null where no limit is a time.
  ServerShared(HttpServer::Handler on_request, ServerLimits bounds, std::shared_ptr<TimerQueue> queue)
      : handler(std::move(on_request)), limits(bounds), timers(std::move(queue)),
        handshakes(std::make_shared<HandshakeTurns>(bounds.handshakes)), read_buffer(16 * 1024) {}
  HttpServer::Handler handler;
  HttpServer::BodyRule body_rule;  ///< null: bodies are read before the handler is called
  const ServerLimits limits;
  const std::shared_ptr<TimerQueue> timers;
  const std::shared_ptr<HandshakeTurns> handshakes;
  std::vector<char> read_buffer;  ///< where all read to; used up, and wiped, before anything suspends
  std::uint64_t requests = 0;
  std::uint64_t accepted = 0;
  std::size_t open = 0;
  std::size_t body_bytes = 0;  ///< of bodies that handlers read at present
  bool wants_room = false;  ///< others wait to be accepted: no connection becomes idle
  /// Those that wait for another request, the one that has waited longest first.
  boost::intrusive::list<IdleConnection, boost::intrusive::base_hook<IdleHook>, boost::intrusive::constant_time_size<false>> idle;
};

class ServerConnection final : public AnswerWriter,
                               public std::enable_shared_from_this<ServerConnection>,
                               public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>,
                               public IdleConnection {
 public:
  /// `tls`: null for a plain one.
  ServerConnection(std::shared_ptr<ServerShared> shared, asio::ip::tcp::socket socket, std::shared_ptr<ServerTls> tls);
  ~ServerConnection() override;

  /// Until the connection ends; cancellable.
  asio::awaitable<void> run();
  asio::cancellation_signal& signal() noexcept { return signal_; }
  void close() noexcept {
    timer_.cancel();
    stream_.close();
  }

  void end_idle() noexcept override;

  const ServerRequest& request() const override { return request_; }
  asio::awaitable<int> read_body(std::string& into) override;
  asio::awaitable<bool> wait_writable() override;

 private:
  enum class Reading {
    more,      ///< wait for wait_for_, then read on
    complete,  ///< a request; its body may be left to the handler
    refused,   ///< refusal_ is to be said, and the connection closed
    ended,     ///< the client has gone, or there is nothing to say to it
  };

  // Requests.
  asio::awaitable<bool> shake_hands();
  enum class Part { request, body };
  asio::awaitable<Reading> read_request(Part part);
  void begin_request();
  void leave_idle() noexcept;
  Reading read();
  Reading take(std::string_view bytes);
  std::size_t parse(std::string_view bytes);
  Reading late() noexcept;
  void keep(std::string_view rest);
  asio::awaitable<void> refuse();
  asio::awaitable<void> part();

  // Answers, and the client meanwhile.
  asio::awaitable<bool> send(std::span<const std::string_view> pieces) override;
  /// Until when so many bytes must be taken; absent: there is no bound.
  std::optional<SteadyTime> end_of_sending(std::size_t bytes) const noexcept;
  void on_watched() override;
  void watch();
  void unwatch();
  void on_readable(std::uint64_t number);
  void drop() noexcept;

  // Time.
  void arm(Duration bound);
  void disarm() noexcept { timer_.cancel(); }
  void on_ring() noexcept;
  /// Whether a wait() has to end what waited.
  bool must_end(std::error_code failed) const noexcept { return failed || is_late_ || !stream_.is_open(); }

  std::shared_ptr<ServerShared> shared_;
  Stream stream_;
  std::shared_ptr<ServerTls> tls_;  ///< null once the handshake is done
  asio::cancellation_signal signal_;
  RequestParser parser_;
  ServerRequest request_;
  std::string input_;  ///< read and not yet parsed: part of a head, or the next request
  Timer timer_;
  HandshakeTurns::Turn* turn_ = nullptr;
  std::uint64_t watch_ = 0;  ///< counts the waits of watch(): one that ended may still have its handler queued
  asio::ip::tcp::socket::wait_type wait_for_ = asio::ip::tcp::socket::wait_read;
  int refusal_ = 0;
  bool has_begun_ = false;  ///< bytes of the request have come
  bool is_in_body_ = false;
  bool is_body_left_ = false;  ///< to the handler, which has not read all of it
  bool is_reading_body_ = false;  ///< the handler does
  bool is_watched_ = false;
  bool is_late_ = false;
};

}  // namespace rollcall
