#include "net/server/http_server.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "net/server/rpc_connection.hpp"
#include "net/server/rules/fair_shares.hpp"
#include "net/server/server_connection.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall {

using asio::ip::tcp;

// Shared with the handlers of its acceptors. Connections own themselves (by their coroutines); this only lists them.
class HttpServer::Impl : public std::enable_shared_from_this<HttpServer::Impl> {
 public:
  Impl(asio::any_io_executor executor, Handler handler, ServerLimits limits, std::shared_ptr<TimerQueue> timers)
      : executor_(std::move(executor)), shares_(limits.connections),
        shared_(std::make_shared<ServerShared>(std::move(handler), limits, std::move(timers))) {}

  Result<std::uint16_t> listen(const std::string& ip, std::uint16_t port, TlsChooser chooser, const RpcMethod* method = nullptr) {
    std::error_code error;
    const asio::ip::address address = asio::ip::make_address(ip, error);
    if (error) return Failure(Errc::invalid_argument, fmt::format("{} is no IP address to listen on", quoted(ip)));
    const auto listener = std::make_shared<Listener>(executor_);
    if (method) listener->calls = std::make_shared<RpcCalls>(*method, shared_->limits.body_bytes);
    if (chooser) {
      listener->tls = ServerTls::create(std::move(chooser), method ? ServerTls::Protocol::http2 : ServerTls::Protocol::http1);
      if (!listener->tls) return Failure(Errc::tls_failed, "OpenSSL cannot be set up");
    }
    const tcp::endpoint endpoint(address, port);
    error = open_tcp(endpoint.protocol(), listener->acceptor);
    if (!error) listener->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && address.is_v6()) listener->acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) listener->acceptor.bind(endpoint, error);
    if (!error) bound_buffers(listener->acceptor, error);
    const int backlog = shared_->limits.backlog > 0 ? shared_->limits.backlog : asio::socket_base::max_listen_connections;
    if (!error) listener->acceptor.listen(backlog, error);
    if (error) return Failure(Errc::failed_precondition, fmt::format("cannot listen on {} port {}: {}", ip, port, error.message()));
    const tcp::endpoint bound = listener->acceptor.local_endpoint(error);
    listeners_.push_back(listener);
    wait(listener);
    return bound.port();
  }

  void stop() {
    is_stopped_ = true;
    std::error_code ignored;
    for (const auto& listener : listeners_) {
      listener->acceptor.close(ignored);
      listener->pause.cancel();
    }
    listeners_.clear();
    close_where([](const ServerLink&) { return true; });
  }

  void close_certified() {
    close_where([](const ServerLink& connection) { return connection.is_certified(); });
  }

  ServerShared& shared() noexcept { return *shared_; }

 private:
  template <class Condition>
  void close_where(Condition condition) {
    // A connection whose coroutine calls this leaves the list only later; others may leave while they are cancelled.
    std::vector<std::weak_ptr<ServerLink>> all;
    for (ServerLink& connection : connections_) {
      if (condition(connection)) all.push_back(connection.weak_from_this());
    }
    for (const auto& weak : all) {
      const auto connection = weak.lock();
      if (!connection) continue;
      connection->signal().emit(asio::cancellation_type::terminal);
      connection->close();
    }
  }

  struct Listener {
    explicit Listener(const asio::any_io_executor& executor) : acceptor(executor), pause(executor) {}
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    std::shared_ptr<ServerTls> tls;
    std::shared_ptr<RpcCalls> calls;  // null: HTTP/1.1
    bool is_waiting_for_room = false;
  };

  // Accepted sockets inherit it. The kernel doubles the sizes for its own use.
  void bound_buffers(tcp::acceptor& acceptor, std::error_code& error) {
    constexpr int unsent_at_most = 16 * 1024;
    const ServerLimits& limits = shared_->limits;
    if (limits.ends_by_reset) acceptor.set_option(asio::socket_base::linger(true, 0), error);
    if (limits.send_buffer > 0) {
      acceptor.set_option(asio::socket_base::send_buffer_size(limits.send_buffer / 2), error);
      ::setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_at_most, sizeof unsent_at_most);
    }
    if (!error && limits.receive_buffer > 0) acceptor.set_option(asio::socket_base::receive_buffer_size(limits.receive_buffer / 2), error);
  }

  void wait(const std::shared_ptr<Listener>& listener) {
    listener->acceptor.async_wait(tcp::acceptor::wait_read, [self = shared_from_this(), listener](std::error_code error) {
      if (!error && !self->is_stopped_) self->accept(listener);
    });
  }

  void accept(const std::shared_ptr<Listener>& listener) {
    // Accept all: while these are served thousands more may arrive, and clients that do not fit into the backlog retry only seconds later.
    constexpr int per_turn = 4096;
    for (int i = 0; i < per_turn; ++i) {
      // There is at least one, as the socket is readable; it is not known whether there are more.
      if (shares_.is_full() && i == 0) return make_room(*listener);
      if (shares_.is_full()) break;
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      const int descriptor =
          ::accept4(listener->acceptor.native_handle(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (descriptor < 0) {
        if (errno == ECONNABORTED || errno == EINTR) continue;
        if (is_out_of_descriptors(std::error_code(errno, std::system_category()))) return pause(listener);
        break;
      }
      start(*listener, descriptor, from.ss_family == AF_INET6 ? tcp::v6() : tcp::v4());
    }
    wait(listener);
  }

  // If no connection is idle, the clients wait in the backlog.
  void make_room(Listener& listener) {
    listener.is_waiting_for_room = true;
    close_oldest_idle();
  }

  // Its client has to open another connection for its next request.
  void close_oldest_idle() {
    shared_->wants_room = true;
    if (ending_ || shared_->idle.empty()) return;
    ending_ = &shared_->idle.front();
    shared_->idle.front().end_idle();
  }

  // Out of descriptors: the clients wait in the backlog, and an idle connection is closed. Other descriptors of the process may become free
  // without an event, so accept is tried again later.
  void pause(const std::shared_ptr<Listener>& listener) {
    close_oldest_idle();
    listener->pause.expires_after(std::chrono::milliseconds(20));
    listener->pause.async_wait([self = shared_from_this(), listener](std::error_code error) {
      if (!error && !self->is_stopped_) self->accept(listener);
    });
  }

  void start(Listener& listener, int descriptor, tcp protocol) {
    std::error_code error;
    tcp::socket socket(executor_);
    socket.assign(protocol, descriptor, error);
    if (error) {
      ::close(descriptor);
      return;
    }
    std::shared_ptr<ServerLink> connection;
    if (listener.calls) {
      connection = std::make_shared<RpcConnection>(shared_, std::move(socket), listener.tls, listener.calls);
    } else {
      connection = std::make_shared<ServerConnection>(shared_, std::move(socket), listener.tls);
    }
    if (!shares_.enter(holder_of(*connection))) return;
    connections_.push_back(*connection);
    connection->enter_as_newcomer();
    // A handler that throws loses only its connection.
    auto on_end = [self = shared_from_this(), connection](std::exception_ptr) {
      connection->close();
      self->on_room(*connection);
    };
    asio::co_spawn(executor_, connection->run(), asio::bind_cancellation_slot(connection->signal().slot(), std::move(on_end)));
  }

  // All programs of this machine share one address.
  static std::string holder_of(const ServerLink& connection) {
    return is_loopback_literal(connection.peer()) ? std::string() : network_of(connection.peer());
  }

  void on_room(const ServerLink& connection) {
    shares_.leave(holder_of(connection));
    if (ending_ == &connection) ending_ = nullptr;
    shared_->wants_room = false;
    if (is_stopped_) return;
    for (const auto& listener : listeners_) {
      if (std::exchange(listener->is_waiting_for_room, false)) wait(listener);
    }
  }

  asio::any_io_executor executor_;
  FairShares shares_;
  std::shared_ptr<ServerShared> shared_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  boost::intrusive::list<ServerLink, boost::intrusive::constant_time_size<false>> connections_;
  const IdleConnection* ending_ = nullptr;  // frees a place
  bool is_stopped_ = false;
};

ServerLimits ServerLimits::lax() {
  ServerLimits limits;
  limits.head_bytes = 64 * 1024;
  limits.body_bytes = 64 * 1024 * 1024;
  limits.head_time = limits.body_time = limits.handshake_time = limits.idle_time = limits.write_time = limits.linger_time = Duration();
  limits.connections = limits.handshakes = limits.slowest_reader = 0;
  limits.backlog = limits.send_buffer = limits.receive_buffer = 0;
  return limits;
}

HttpServer::HttpServer(asio::any_io_executor executor, Handler handler)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(handler), ServerLimits::lax(), nullptr)) {}
HttpServer::HttpServer(asio::any_io_executor executor, Handler handler, ServerLimits limits, std::shared_ptr<TimeSource> time)
    : impl_(std::make_shared<Impl>(executor, std::move(handler), limits, std::make_shared<TimerQueue>(std::move(time), executor))) {}
HttpServer::~HttpServer() { stop(); }
Result<std::uint16_t> HttpServer::listen(const std::string& ip, std::uint16_t port, TlsChooser tls) {
  return impl_->listen(ip, port, std::move(tls));
}
void HttpServer::leave_bodies(BodyRule max_bytes) { impl_->shared().body_rule = std::move(max_bytes); }
Result<std::uint16_t> HttpServer::listen_rpc(const std::string& ip, std::uint16_t port, TlsChooser tls, const RpcMethod& method) {
  return impl_->listen(ip, port, std::move(tls), &method);
}
void HttpServer::close_certified() { impl_->close_certified(); }
void HttpServer::stop() { impl_->stop(); }
std::uint64_t HttpServer::requests() const noexcept { return impl_->shared().requests; }
std::uint64_t HttpServer::connections_accepted() const noexcept { return impl_->shared().accepted; }
std::size_t HttpServer::connections_open() const noexcept { return impl_->shared().open; }

}  // namespace rollcall
