// OpenSSL's I/O on a socket, without signals: its own socket BIO uses write(), which raises SIGPIPE. And I/O through another TLS layer.
#pragma once

#include <openssl/ssl.h>

#include <memory>

namespace rollcall {

struct SslDeleter {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};
using SslPtr = std::unique_ptr<SSL, SslDeleter>;

/// Lets `ssl` read and write the non-blocking socket `descriptor`, which the caller keeps. False when out of memory.
bool attach_socket(SSL* ssl, int descriptor);

/// Lets `ssl` read and write through `outer`, TLS to a proxy, and own it. False when out of memory; then the caller keeps `outer`.
bool attach_tls(SSL* ssl, SSL* outer);

/// The modes of every TLS object of the library.
void set_stream_modes(SSL* ssl) noexcept;

}  // namespace rollcall
