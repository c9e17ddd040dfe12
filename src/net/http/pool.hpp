// Connections by origin: decides which exchange may open one, which waits, which idle one is used again. Nothing here suspends or knows the
// operations of sockets; idle connections have nothing pending, so they do not keep the loop running.
#pragma once

#include <asio/any_io_executor.hpp>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "async/timer_queue.hpp"
#include "net/http/http1_connection.hpp"
#include "net/http/shared_connections.hpp"

namespace rollcall {

/// The common properties of connections of one kind.
struct OriginView {
  bool is_https = false;
  bool via_proxy = false;  ///< follows from host, port and access
  std::uint16_t port = 0;
  std::uint64_t access = 0;  ///< see AccessTable
  int max_segment = 0;  ///< see ExchangeOptions
  std::string_view host;
};

class ConnectionPool;
class HostPool;

/// The right to one of a host's connections, with a connection or without one yet; or to a stream of an HTTP/2 connection. Destroying it
/// closes a connection of its own and grants the next in the queue, one turn of the loop later; give_back() does so at once.
class Lease {
 public:
  Lease() {}
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease() { drop(); }

  explicit operator bool() const noexcept { return host_ != nullptr; }
  Http1Connection* connection() const noexcept { return connection_.get(); }
  void set_connection(ConnectionPtr connection) noexcept { connection_ = std::move(connection); }
  void close_connection() noexcept { connection_.reset(); }
  const SharedConnections::Ptr& shared() const noexcept { return shared_; }
  /// The dialled connection is HTTP/2: others may share it.
  void set_shared(SharedConnections::Ptr connection);
  /// The dialled connection's protocol. If it is the host's first, the exchanges that wait for it are served.
  void note_protocol(Protocol protocol);
  /// False: HTTP/1.1 alone may be offered.
  bool may_use_http2() const noexcept { return !is_http1_only_; }
  /// The host requires HTTP/1.1: it is asked over that from now on.
  void leave_http2();
  /// The dialled connection is HTTP/1.1; `is_chosen`: by the server, in ALPN. False: the server may speak HTTP/2 alone, and is asked over
  /// that again.
  bool accepts_http1(bool is_chosen);
  /// The dial without HTTP/2 failed. True: the host is asked over HTTP/2 again, and this was the reason that may have failed it.
  bool return_to_http2();
  /// The dial is ended by its caller, not by the host: if it was the host's first, the next in the queue dials in its place.
  void pass_on_first_dial() noexcept { is_passed_on_ = true; }
  /// The time in the queue for a first dial that failed or was slow; see ConnectionPool::try_lease().
  Duration waited() const noexcept { return waited_; }
  /// `is_reusable`: the connection is kept, or passed to the next exchange in the queue; else it is closed.
  void give_back(bool is_reusable);

 private:
  friend class ConnectionPool;
  friend class HostPool;
  Lease(HostPool& host, ConnectionPtr connection) noexcept;
  void drop() noexcept;
  void release(SteadyTime now) noexcept;
  HostPool* host_ = nullptr;
  ConnectionPtr connection_;
  SharedConnections::Ptr shared_;
  ConnectionUse use_ = ConnectionUse::requests;
  bool is_shared_dial_ = false;  // see SharedConnections::Choice
  Duration waited_{0};
  bool is_first_ = false;  // the host's first dial
  bool is_passed_on_ = false;
  bool is_http1_only_ = false;
};

/// A place in a host's queue. If destroyed early, it passes on its grant.
class PoolWait : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// `on_grant(context)` is called once there is a lease; it must not use it before the next turn of the loop.
  PoolWait(void (*on_grant)(void*), void* context, ConnectionUse use) : on_grant_(on_grant), context_(context), use_(use) {}
  Lease lease;  ///< the granted lease

 private:
  friend class ConnectionPool;
  void (*on_grant_)(void*);
  void* context_;
  const ConnectionUse use_;
  SteadyTime since_{};
};
using PoolQueue = boost::intrusive::list<PoolWait, boost::intrusive::constant_time_size<false>>;

class HostPool final : private Http2Connection::Owner {
 public:
  HostPool(ConnectionPool& pool, std::string host_name, bool is_https, std::size_t max_shared)
      : name(std::move(host_name)), pool_(&pool), is_https_(is_https), shared_(max_shared) {}
  ~HostPool() { shared_.abandon(); }
  const std::string name;  // the map's key points to it

 private:
  friend class ConnectionPool;
  friend class Lease;
  void on_change(Http2Connection& connection) override;
  bool is_http2() const noexcept { return protocol_ == Protocol::http2; }
  void forget_protocol() noexcept {
    protocol_.reset();
    shared_.forget_limit();
    is_open_to_all_ = is_http1_only_ = is_http1_required_ = needs_http2_ = false;
  }
  void leave_http2(bool is_required);
  void return_to_http2();
  ConnectionPool* pool_;
  const bool is_https_;
  std::optional<Protocol> protocol_;  // of https; none: not known
  bool is_first_under_way_ = false;
  bool is_open_to_all_ = false;  // the first dial failed or was slow
  bool is_http1_only_ = false;  // HTTP/2 was left, and is not offered
  bool is_http1_required_ = false;  // by the server
  bool needs_http2_ = false;  // it takes no HTTP/1.1
  Timer patience_;  // of those that wait for the first dial
  SteadyTime used_{};
  std::vector<ConnectionPtr> idle_;  // the one used last is at the back
  std::size_t leased_ = 0;
  SharedConnections shared_;
  PoolQueue queue_;
};

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  ConnectionPool(asio::any_io_executor executor, TimerQueue& timers, std::size_t max_per_host, std::size_t max_idle_per_host,
                 Duration max_idle_time);
  ~ConnectionPool();

  HostPool& at(const OriginView& origin);
  /// The most recently used idle connection without unread data, or the right to open one, or nothing: then join the queue.
  ///
  /// Of an https host whose protocol is not known, one exchange dials, and the others wait for what that negotiates: sixty connections at
  /// once would be sixty full handshakes, and fifty-nine too many for HTTP/2. If the first dial fails, or takes longer than the `patience`
  /// of any exchange, all dial, and what they waited counts as part of their time-outs: they do not fail later than without waiting.
  Lease try_lease(HostPool& host, ConnectionUse use, SteadyTime now, Duration patience);
  void join(HostPool& host, PoolWait& wait, SteadyTime now) noexcept;

  /// Counts the exchanges that are opening a connection. While there are any, no connection is kept idle if descriptors are used up.
  void dial_started();
  void dial_ended() noexcept { --dialling_; }

  /// Closes all idle connections; later ones are not kept.
  void close();
  /// The loop is being destroyed: destroys the sockets of all connections that the pool owns.
  void abandon() noexcept;

 private:
  friend class HostPool;
  friend class Lease;
  struct Hash {
    std::size_t operator()(const OriginView& origin) const noexcept {
      return std::hash<std::string_view>()(origin.host) ^
             (origin.port * std::size_t{0x9e3779b9} + origin.is_https * 2 + origin.via_proxy + origin.access * std::size_t{0x85ebca6b} +
              static_cast<std::size_t>(origin.max_segment) * std::size_t{0xc2b2ae35});
    }
  };
  struct Equal {
    bool operator()(const OriginView& a, const OriginView& b) const noexcept {
      return a.port == b.port && a.is_https == b.is_https && a.via_proxy == b.via_proxy && a.access == b.access &&
             a.max_segment == b.max_segment && a.host == b.host;
    }
  };
  static constexpr Duration remember_protocol = std::chrono::minutes(10);  ///< of a host without connections
  static constexpr std::size_t max_remembered = 1024;
  static Lease grant_dial(HostPool& host) noexcept;
  static void end_first_dial(HostPool& host, SteadyTime now) noexcept;
  static void pass_on_first_dial(HostPool& host, SteadyTime now) noexcept;
  bool is_shared(HostPool& host);
  void wait_for_first(HostPool& host, SteadyTime until);
  void serve_queue(HostPool& host, SteadyTime now);
  Lease lease_shared(HostPool& host, ConnectionUse use, SteadyTime now);
  void serve_shared(HostPool& host, SteadyTime now);
  void sweep(SteadyTime now);
  void close_oldest_idle();
  void serve_all_later();

  asio::any_io_executor executor_;
  TimerQueue& timers_;
  std::size_t max_per_host_;
  std::size_t max_idle_per_host_;
  Duration max_idle_time_;
  SteadyTime next_sweep_{};
  std::size_t dialling_ = 0;
  bool is_closed_ = false;
  bool is_serving_posted_ = false;
  std::unordered_map<OriginView, std::unique_ptr<HostPool>, Hash, Equal> hosts_;
};

}  // namespace rollcall
