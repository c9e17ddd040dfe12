// The common part of a server's connections, independent of the protocol: the socket, the handshake, the time limits, and the end.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <vector>

#include "async/timer_queue.hpp"
#include "net/server/http_server.hpp"
#include "net/server/rules/body_room.hpp"
#include "net/server/server_exchange.hpp"
#include "net/server/server_tls.hpp"
#include "net/socket/stream.hpp"

namespace rollcall {

class IdleTag;
using IdleHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<IdleTag>, boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class NewcomerTag;
using NewcomerHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<NewcomerTag>, boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// A connection that waits for another request.
class IdleConnection : public IdleHook, public NewcomerHook {
 public:
  /// It ends, a little later.
  virtual void end_idle() noexcept = 0;
  virtual void end_newcomer() noexcept = 0;

 protected:
  ~IdleConnection() = default;
};

/// State that the connections of one server share.
class ServerShared {
 public:
  /// `queue` may be null if no limit is a time.
  ServerShared(HttpServer::Handler on_request, ServerLimits bounds, std::shared_ptr<TimerQueue> queue)
      : handler(std::move(on_request)), limits(bounds), timers(std::move(queue)),
        handshakes(std::make_shared<HandshakeTurns>(bounds.handshakes)), read_buffer(16 * 1024), bodies(bounds.all_bodies_bytes) {}
  HttpServer::Handler handler;
  HttpServer::BodyRule body_rule;  ///< null: bodies are read before the handler is called
  const ServerLimits limits;
  const std::shared_ptr<TimerQueue> timers;
  const std::shared_ptr<HandshakeTurns> handshakes;
  std::vector<char> read_buffer;  ///< the read buffer of all connections; used up, and wiped, before anything suspends
  std::uint64_t requests = 0;
  std::uint64_t accepted = 0;
  std::size_t open = 0;
  BodyRooms bodies;            ///< that handlers read at present
  bool wants_room = false;  ///< clients wait in the backlog: no connection may become idle
  /// Idle connections, the one that has been idle longest first.
  boost::intrusive::list<IdleConnection, boost::intrusive::base_hook<IdleHook>, boost::intrusive::constant_time_size<false>> idle;
  /// Connections without a whole head so far, the oldest first, if their number is bounded.
  boost::intrusive::list<IdleConnection, boost::intrusive::base_hook<NewcomerHook>, boost::intrusive::constant_time_size<false>> newcomers;
  std::size_t newcomer_count = 0;
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

  /// Suspends until the connection ends; cancellable.
  virtual asio::awaitable<void> run() = 0;
  /// At once; run() ends, a little later.
  virtual void close() noexcept;
  void end_idle() noexcept override;
  void end_newcomer() noexcept override;
  /// Its number of newcomers is bounded: it is the last one.
  void enter_as_newcomer();
  asio::cancellation_signal& signal() noexcept { return signal_; }
  /// The client's address, without its port; empty: not known.
  const std::string& peer() const noexcept { return request_.peer; }
  /// It has presented a certificate that was verified.
  bool is_certified() const noexcept { return request_.certificate != nullptr; }

 protected:
  /// The TLS handshake, if TLS is used. False: it has failed.
  asio::awaitable<bool> shake_hands();
  /// After the last answer, reads and drops the client's data for a moment: closing a socket with unread bytes would discard the answer
  /// (RFC 9112, 9.6).
  asio::awaitable<void> linger();
  void leave_idle() noexcept;
  void leave_newcomers() noexcept;

  // Time.
  void arm(Duration bound);
  void disarm() noexcept { timer_.cancel(); }
  /// Whether the end of a wait() means that the caller must end.
  bool must_end(std::error_code failed) const noexcept { return failed || is_late_ || !stream_.is_open(); }

  std::shared_ptr<ServerShared> shared_;
  Stream stream_;
  ServerRequest request_;  ///< facts about the client
  bool is_late_ = false;

 private:
  void on_ring() noexcept;

  std::shared_ptr<ServerTls> tls_;  ///< null once the handshake is done
  asio::cancellation_signal signal_;
  Timer timer_;
  HandshakeTurns::Turn* turn_ = nullptr;
};

}  // namespace rollcall
