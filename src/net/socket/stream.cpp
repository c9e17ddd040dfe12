#include "net/socket/stream.hpp"

#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <asio/redirect_error.hpp>
#include <asio/ssl/error.hpp>
#include <asio/use_awaitable.hpp>
#include <cerrno>
#include <utility>

#include "net/socket/address_bytes.hpp"

namespace rollcall {
namespace {

IoResult moved(std::size_t bytes) noexcept {
  IoResult result;
  result.bytes = bytes;
  return result;
}

IoResult ended(IoStatus status, std::error_code error = {}) noexcept {
  IoResult result;
  result.status = status;
  result.error = error;
  return result;
}

IoResult from_errno(int error, IoStatus want) noexcept {
  if (error == EAGAIN || error == EWOULDBLOCK) return ended(want);
  return ended(IoStatus::failed, std::error_code(error, std::system_category()));
}

IoResult from_tls(SSL* ssl, int returned, int error) noexcept {
  switch (SSL_get_error(ssl, returned)) {
    case SSL_ERROR_WANT_READ: return ended(IoStatus::want_read);
    case SSL_ERROR_WANT_WRITE: return ended(IoStatus::want_write);
    case SSL_ERROR_ZERO_RETURN: return ended(IoStatus::closed);
    case SSL_ERROR_SYSCALL:
      if (error == 0) return ended(IoStatus::closed);
      return ended(IoStatus::failed, std::error_code(error, std::system_category()));
    default: break;
  }
  const unsigned long code = ERR_peek_error();
  // An end without close_notify: the HTTP parser detects missing data.
  if (ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return ended(IoStatus::closed);
  return ended(IoStatus::failed, std::error_code(static_cast<int>(code), asio::error::get_ssl_category()));
}

// A peer that disappeared during a watch or a long poll looks like an idle one: after half a minute of silence the kernel sends probes, and
// after three unanswered probes the connection fails. The same time applies to sent data without acknowledgement.
void probe_when_silent(int fd) noexcept {
  const auto set = [fd](int level, int option, int value) { ::setsockopt(fd, level, option, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, (30 + 3 * 15) * 1000);
}

// A socket of dial/local_socket.hpp.
bool is_unix(const asio::ip::tcp::endpoint& peer) noexcept { return peer.data()->sa_family == AF_UNIX; }

}  // namespace

Stream::Stream(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {
  std::error_code ignored;
  if (!socket_.native_non_blocking()) socket_.native_non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  probe_when_silent(socket_.native_handle());
}

Stream::Stream(asio::ip::tcp::socket socket, ssl_st* ssl) : Stream(std::move(socket)) { ssl_ = ssl; }

Stream::Stream(Stream&& other) noexcept
    : socket_(std::move(other.socket_)), ssl_(std::exchange(other.ssl_, nullptr)), is_drained_(other.is_drained_) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    close();
    socket_ = std::move(other.socket_);
    ssl_ = std::exchange(other.ssl_, nullptr);
    is_drained_ = other.is_drained_;
  }
  return *this;
}

Stream::~Stream() { close(); }

IoResult Stream::read_some(std::span<char> into) noexcept {
  if (ssl_) {
    ERR_clear_error();
    errno = 0;
    std::size_t bytes = 0;
    const int returned = SSL_read_ex(ssl_, into.data(), into.size(), &bytes);
    is_drained_ = false;
    if (returned > 0) return moved(bytes);
    const IoResult result = from_tls(ssl_, returned, errno);
    is_drained_ = result.status == IoStatus::want_read;
    return result;
  }
  ssize_t n = 0;
  do {
    n = ::recv(socket_.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n > 0) return moved(static_cast<std::size_t>(n));
  if (n == 0) return ended(IoStatus::closed);
  return from_errno(errno, IoStatus::want_read);
}

IoResult Stream::write_some(std::span<const char> from) noexcept {
  if (ssl_) {
    ERR_clear_error();
    errno = 0;
    std::size_t bytes = 0;
    const int returned = SSL_write_ex(ssl_, from.data(), from.size(), &bytes);
    if (returned > 0) return moved(bytes);
    return from_tls(ssl_, returned, errno);
  }
  ssize_t n = 0;
  do {
    n = ::send(socket_.native_handle(), from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return moved(static_cast<std::size_t>(n));
  return from_errno(errno, IoStatus::want_write);
}

IoResult Stream::write_some(std::span<const std::string_view> pieces) noexcept {
  if (ssl_ || pieces.size() == 1) return write_some(std::span<const char>(pieces.front()));
  std::array<iovec, 4> vectors{};
  const std::size_t count = std::min(pieces.size(), vectors.size());
  for (std::size_t i = 0; i < count; ++i) {
    vectors[i].iov_base = const_cast<char*>(pieces[i].data());  // the kernel only reads it
    vectors[i].iov_len = pieces[i].size();
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return moved(static_cast<std::size_t>(n));
  return from_errno(errno, IoStatus::want_write);
}

bool Stream::must_wait(asio::ip::tcp::socket::wait_type what) const noexcept {
  return what != asio::ip::tcp::socket::wait_read || !has_pending();
}

// With TLS within TLS the outer layer may have decrypted more than the inner one has requested.
bool Stream::has_pending() const noexcept {
  return ssl_ && (SSL_pending(ssl_) > 0 || BIO_pending(SSL_get_rbio(ssl_)) > 0 || (!is_drained_ && SSL_has_pending(ssl_) == 1));
}

asio::awaitable<void> Stream::wait(asio::ip::tcp::socket::wait_type what, std::error_code& error) {
  return socket_.async_wait(what, asio::redirect_error(asio::use_awaitable, error));
}

void Stream::cancel() noexcept {
  std::error_code ignored;
  socket_.cancel(ignored);
}

void Stream::reset() noexcept {
  if (ssl_) SSL_set_quiet_shutdown(ssl_, 1);
  std::error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
}

void Stream::close() noexcept {
  if (ssl_) {
    if (SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);  // sends close_notify if there is room for it; never waits
    SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(std::exchange(ssl_, nullptr));
    ERR_clear_error();
  }
  std::error_code ignored;
  if (socket_.is_open()) socket_.close(ignored);
}

void Stream::finish() noexcept {
  if (ssl_ && SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
  ERR_clear_error();
  std::error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

std::string_view Stream::chosen_protocol() const noexcept {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  if (ssl_) SSL_get0_alpn_selected(ssl_, &name, &size);
  return std::string_view(reinterpret_cast<const char*>(name), size);
}

Protocol Stream::protocol() const noexcept { return chosen_protocol() == "h2" ? Protocol::http2 : Protocol::http1; }

bool Stream::is_peer_loopback() const noexcept {
  std::error_code error;
  const asio::ip::tcp::endpoint peer = socket_.remote_endpoint(error);
  if (!error && is_unix(peer)) return true;
  return !error && is_loopback_ip(bytes_of(peer.address()));
}

bool Stream::is_peer_near() const {
  std::error_code error;
  const asio::ip::tcp::endpoint peer = socket_.remote_endpoint(error);
  if (!error && is_unix(peer)) return true;
  return !error && is_near_host(peer.address().to_string());
}

bool Stream::is_quiet() noexcept {
  char byte = 0;
  ssize_t n = 0;
  do {
    n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  const bool is_empty = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (!ssl_) return is_empty;
  if (is_empty && !has_pending()) return true;
  if (n <= 0 && !is_empty) return false;
  // Data has arrived; it may be only a session ticket.
  ERR_clear_error();
  std::size_t bytes = 0;
  const int returned = SSL_peek_ex(ssl_, &byte, 1, &bytes);
  is_drained_ = returned <= 0 && SSL_get_error(ssl_, returned) == SSL_ERROR_WANT_READ;
  return is_drained_;
}

}  // namespace rollcall
