#include "net/tls/tls_handshake.hpp"

#include <fmt/format.h>
#include <openssl/err.h>

#include <cerrno>

#include "base/text.hpp"

namespace rollcall {

namespace {

// In place of the context's HTTP/1.1 alone. Without memory for it that one stays.
void offer_http2(SSL* ssl) noexcept {
  static constexpr unsigned char protocols[] = "\x02h2\x08http/1.1";
  SSL_set_alpn_protos(ssl, protocols, sizeof protocols - 1);
}

}  // namespace

asio::awaitable<Result<Stream>> shake_hands(HandshakeWith with, Stream connected, DialStep& step) {
  using asio::ip::tcp;
  TlsFault fault;
  Stream stream(std::move(connected));  // its TLS object points to the fault, which therefore outlives it
  SslPtr ssl = with.context->make(with.host, with.port, fault);
  if (ssl && with.offers_http2) offer_http2(ssl.get());
  const bool is_attached =
      ssl && (stream.tls() ? attach_tls(ssl.get(), stream.tls()) : attach_socket(ssl.get(), stream.socket().native_handle()));
  if (!is_attached) {
    ERR_clear_error();
    co_return Failure(Errc::tls_failed, fmt::format("OpenSSL cannot verify the name {}", quoted(with.host))).with_phase(Phase::handshake);
  }
  SSL* const raw = ssl.get();
  const std::string doing = fmt::format("the TLS handshake with {}", quoted(with.host));
  stream.wrap(ssl.release());
  for (bool is_begun = false;; is_begun = true) {
    LoopThrottle::Ticket ticket(step.event());
    with.throttle->enter(ticket);
    while (!ticket.is_granted()) {
      const bool goes_on = co_await step.pause();
      if (!goes_on) co_return step.why_stopped(doing);
    }
    if (!is_begun) with.context->resume(raw);
    ERR_clear_error();
    errno = 0;
    const int returned = SSL_do_handshake(raw);
    const int errno_value = errno;
    if (returned == 1) break;
    const int error = SSL_get_error(raw, returned);
    bool goes_on = true;
    if (error == SSL_ERROR_WANT_READ) {
      goes_on = co_await step.wait(stream.socket(), tcp::socket::wait_read);
    } else if (error == SSL_ERROR_WANT_WRITE) {
      goes_on = co_await step.wait(stream.socket(), tcp::socket::wait_write);
    } else {
      Failure failure = describe_handshake_failure(with.host, fault, error, ERR_peek_error(), errno_value, with.authorities_from);
      ERR_clear_error();
      co_return failure;
    }
    if (!goes_on) co_return step.why_stopped(doing);
  }
  SSL_set_app_data(raw, nullptr);  // the fault ends with this frame
  co_return stream;
}

}  // namespace rollcall
