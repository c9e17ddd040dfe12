#include "net/server/http_server.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
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
#include <vector>

#include "base/text.hpp"
#include "net/server/server_connection.hpp"
#include "net/socket/descriptor.hpp"
#include "net/tls/socket_bio.hpp"

namespace rollcall {

namespace {

void free_owner(void*, void* owner, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<std::shared_ptr<void>*>(owner); }

int connection_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_owner);
  return slot;
}

int on_server_name(SSL* ssl, int*, void* chooser) {
  const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  SSL_CTX* chosen = nullptr;
  try {
    chosen = (*static_cast<HttpServer::TlsChooser*>(chooser))(name ? name : "");
  } catch (...) {  // must not pass through OpenSSL
  }
  if (!chosen) return SSL_TLSEXT_ERR_ALERT_FATAL;
  SSL_set_SSL_CTX(ssl, chosen);
  SSL_set_verify(ssl, SSL_CTX_get_verify_mode(chosen), SSL_CTX_get_verify_callback(chosen));  // whether clients need a certificate
  return SSL_TLSEXT_ERR_OK;
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered, unsigned int offered_size, void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* selected = nullptr;
  const int result = SSL_select_next_proto(&selected, size, ours, sizeof ours - 1, offered, offered_size);
  *out = selected;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// A context chosen by the name that the client asks for.
class ServerTls : public std::enable_shared_from_this<ServerTls> {
 public:
  /// Null when OpenSSL cannot be set up.
  static std::shared_ptr<ServerTls> create(HttpServer::TlsChooser chooser) {
    SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
    if (!context) return nullptr;
    auto made = std::make_shared<ServerTls>(context, std::move(chooser));
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION);
    static constexpr unsigned char id[] = "rollcall";
    SSL_CTX_set_session_id_context(context, id, sizeof id - 1);
    SSL_CTX_set_tlsext_servername_callback(context, on_server_name);
    SSL_CTX_set_tlsext_servername_arg(context, &made->chooser_);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    return made;
  }
  ServerTls(SSL_CTX* context, HttpServer::TlsChooser chooser) : context_(context), chooser_(std::move(chooser)) {}
  ~ServerTls() { SSL_CTX_free(context_); }
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  /// A server object that keeps this one alive; null when out of memory.
  SslPtr make(int descriptor) {
    SslPtr ssl(SSL_new(context_));
    if (!ssl || !attach_socket(ssl.get(), descriptor)) return nullptr;
    auto owner = std::make_unique<std::shared_ptr<void>>(shared_from_this());
    if (SSL_set_ex_data(ssl.get(), connection_slot(), owner.get()) != 1) return nullptr;
    static_cast<void>(owner.release());
    set_stream_modes(ssl.get());
    SSL_set_accept_state(ssl.get());
    return ssl;
  }

 private:
  SSL_CTX* context_;  // its sessions' ticket keys serve all names; certificates are those of the chosen contexts
  HttpServer::TlsChooser chooser_;
};

}  // namespace

using asio::ip::tcp;

// Shared with the handlers of its acceptors. Connections own themselves (their coroutines do); this only lists them.
class HttpServer::Impl : public std::enable_shared_from_this<HttpServer::Impl> {
 public:
  Impl(asio::any_io_executor executor, Handler handler)
      : executor_(std::move(executor)), shared_(std::make_shared<ServerShared>(std::move(handler))) {}

  Result<std::uint16_t> listen(const std::string& ip, std::uint16_t port, TlsChooser chooser) {
    std::error_code error;
    const asio::ip::address address = asio::ip::make_address(ip, error);
    if (error) return Failure(Errc::invalid_argument, fmt::format("{} is no IP address to listen on", quoted(ip)));
    const auto listener = std::make_shared<Listener>(executor_);
    if (chooser) {
      listener->tls = ServerTls::create(std::move(chooser));
      if (!listener->tls) return Failure(Errc::tls_failed, "OpenSSL cannot be set up");
    }
    const tcp::endpoint endpoint(address, port);
    error = open_tcp(endpoint.protocol(), listener->acceptor);
    if (!error) listener->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && address.is_v6()) listener->acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) listener->acceptor.bind(endpoint, error);
    if (!error) listener->acceptor.listen(asio::socket_base::max_listen_connections, error);
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
    // A connection whose coroutine calls this leaves the list only later; others may leave while they are cancelled.
    std::vector<std::weak_ptr<ServerConnection>> all;
    for (ServerConnection& connection : connections_) all.push_back(connection.weak_from_this());
    for (const auto& weak : all) {
      const auto connection = weak.lock();
      if (!connection) continue;
      connection->signal().emit(asio::cancellation_type::terminal);
      connection->close();
    }
  }

  const ServerShared& shared() const noexcept { return *shared_; }

 private:
  struct Listener {
    explicit Listener(const asio::any_io_executor& executor) : acceptor(executor), pause(executor) {}
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    std::shared_ptr<ServerTls> tls;
  };

  void wait(const std::shared_ptr<Listener>& listener) {
    listener->acceptor.async_wait(tcp::acceptor::wait_read, [self = shared_from_this(), listener](std::error_code error) {
      if (!error && !self->is_stopped_) self->accept(listener);
    });
  }

  void accept(const std::shared_ptr<Listener>& listener) {
    constexpr int per_turn = 64;
    for (int i = 0; i < per_turn; ++i) {
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

  // Out of descriptors: the backlog keeps the clients waiting.
  void pause(const std::shared_ptr<Listener>& listener) {
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
    SslPtr ssl;
    if (listener.tls) {
      ssl = listener.tls->make(descriptor);
      if (!ssl) return;
    }
    const auto connection = std::make_shared<ServerConnection>(shared_, std::move(socket), ssl.release());
    connections_.push_back(*connection);
    // A handler that throws loses its connection, no more.
    auto on_end = [connection](std::exception_ptr) { connection->close(); };
    asio::co_spawn(executor_, connection->run(), asio::bind_cancellation_slot(connection->signal().slot(), std::move(on_end)));
  }

  asio::any_io_executor executor_;
  std::shared_ptr<ServerShared> shared_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  boost::intrusive::list<ServerConnection, boost::intrusive::constant_time_size<false>> connections_;
  bool is_stopped_ = false;
};

HttpServer::HttpServer(asio::any_io_executor executor, Handler handler)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(handler))) {}
HttpServer::~HttpServer() { stop(); }
Result<std::uint16_t> HttpServer::listen(const std::string& ip, std::uint16_t port, TlsChooser tls) {
  return impl_->listen(ip, port, std::move(tls));
}
void HttpServer::stop() { impl_->stop(); }
std::uint64_t HttpServer::requests() const noexcept { return impl_->shared().requests; }
std::uint64_t HttpServer::connections_accepted() const noexcept { return impl_->shared().accepted; }
std::size_t HttpServer::connections_open() const noexcept { return impl_->shared().open; }

}  // namespace rollcall
