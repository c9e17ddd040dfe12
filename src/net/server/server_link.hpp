// What the connections of a server have in common, whichever protocol they speak: the socket, the handshake, the bounds in time, and the
// end.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <vector>

#include "async/timer_queue.hpp"
#include "net/server/http_server.hpp"
#include "net/server/server_exchange.hpp"
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

class ServerLink : public std::enable_shared_from_this<ServerLink>,
                   public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>,
                   public IdleConnection {
 public:
  /// `tls`: null for a plain one.
  ServerLink(std::shared_ptr<ServerShared> shared, asio::ip::tcp::socket socket, std::shared_ptr<ServerTls> tls);
  virtual ~ServerLink();
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;

  /// Until the connection ends; cancellable.
  virtual asio::awaitable<void> run() = 0;
  /// At once; run() ends, a little later.
  virtual void close() noexcept;
  void end_idle() noexcept override;
  asio::cancellation_signal& signal() noexcept { return signal_; }
  /// The client's address, without its port; empty: not known.
  const std::string& peer() const noexcept { return request_.peer; }
  /// It has shown a certificate that was verified.
  bool is_certified() const noexcept { return request_.certificate != nullptr; }

 protected:
  /// TLS, where it is spoken. False: it has failed.
  asio::awaitable<bool> shake_hands();
  /// After the last word, for a moment all that the client still says: a socket that is closed with bytes unread takes the word back
  /// (RFC 9112, 9.6).
  asio::awaitable<void> part();
  void leave_idle() noexcept;

  // Time.
  void arm(Duration bound);
  void disarm() noexcept { timer_.cancel(); }
  /// Whether a wait() has to end what waited.
  bool must_end(std::error_code failed) const noexcept { return failed || is_late_ || !stream_.is_open(); }

  std::shared_ptr<ServerShared> shared_;
  Stream stream_;
  ServerRequest request_;  ///< what is known of the client stands in it
  bool is_late_ = false;

 private:
  void on_ring() noexcept;

  std::shared_ptr<ServerTls> tls_;  ///< null once the handshake is done
  asio::cancellation_signal signal_;
  Timer timer_;
  HandshakeTurns::Turn* turn_ = nullptr;
};

}  // namespace rollcall
