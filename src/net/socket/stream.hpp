// A connected socket, plain or TLS, that never blocks and owns no read buffer.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

struct ssl_st;

namespace rollcall {

enum class IoStatus {
  done,        ///< `bytes` were moved, at least one
  want_read,   ///< nothing moved: wait for readability, then repeat
  want_write,  ///< nothing moved: wait for writability, then repeat
  closed,      ///< the peer ended the stream in order
  failed,      ///< `error` has the reason
};

/// The protocol of requests on a connection.
enum class Protocol { http1, http2 };

struct IoResult {
  IoStatus status = IoStatus::done;
  std::size_t bytes = 0;
  std::error_code error{};
};

class Stream {
 public:
  explicit Stream(asio::ip::tcp::socket socket);                     ///< plain; sets non-blocking, no-delay
  Stream(asio::ip::tcp::socket socket, ssl_st* ssl);  ///< takes over a TLS object, if any, which is attached to the socket
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  /// Marks the TLS session as cleanly shut down (otherwise no ticket can be resumed) and closes the socket.
  ~Stream();

  IoResult read_some(std::span<char> into) noexcept;
  IoResult write_some(std::span<const char> from) noexcept;
  /// Several pieces, in order; there is at least one, and none is empty. TLS takes only the first.
  IoResult write_some(std::span<const std::string_view> pieces) noexcept;
  /// False: wait() is not needed. Bytes that OpenSSL has read already do not make the socket readable.
  bool must_wait(asio::ip::tcp::socket::wait_type what) const noexcept;
  /// Suspends until the socket is readable or writable (or in error). Cancellable by Asio and by cancel(). `error` must live as long. Not a
  /// coroutine: this is awaited for every answer.
  asio::awaitable<void> wait(asio::ip::tcp::socket::wait_type what, std::error_code& error);
  /// Ends a wait() with operation_aborted. The stream must not be pooled after this call.
  void cancel() noexcept;
  /// Sends RST instead of FIN on close.
  void reset() noexcept;
  void close() noexcept;
  /// Signals that nothing more will be sent; reading goes on.
  void finish() noexcept;
  bool is_open() const noexcept { return socket_.is_open(); }
  /// True if it is connected to an address of this machine.
  bool is_peer_loopback() const noexcept;
  /// The same for loopback and link-local addresses.
  bool is_peer_near() const;
  bool is_tls() const noexcept { return ssl_ != nullptr; }
  /// What the handshake has negotiated by ALPN; HTTP/1.1 without TLS, and where the server chose nothing.
  Protocol protocol() const noexcept;
  bool has_chosen_protocol() const noexcept { return !chosen_protocol().empty(); }
  /// True if an idle stream is still usable: nothing to read, not closed by the peer.
  bool is_quiet() noexcept;
  asio::ip::tcp::socket& socket() noexcept { return socket_; }
  /// Puts a TLS object on top of the current stream, which the object owns if that is TLS too: bytes are read and written through it from
  /// here on.
  void wrap(ssl_st* ssl) noexcept {
    ssl_ = ssl;
    is_drained_ = false;
  }
  /// The TLS object, if there is one; the stream keeps it.
  ssl_st* tls() const noexcept { return ssl_; }

 private:
  bool has_pending() const noexcept;
  std::string_view chosen_protocol() const noexcept;
  asio::ip::tcp::socket socket_;
  ssl_st* ssl_ = nullptr;
  bool is_drained_ = false;  // what OpenSSL has read ahead is at most a part of a record
};

}  // namespace rollcall
