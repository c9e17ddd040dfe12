// A client's side of TLS over a Stranger's socket, step by step.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "net/server/stranger.hpp"
#include "support/certificates.hpp"

namespace rollcall::testing {

class TlsStranger {
 public:
  /// `identity`, if any, is presented with `chain` after it. `version`: the newest supported; 0: any.
  explicit TlsStranger(std::uint16_t port, const CertifiedKey* identity = nullptr, const std::vector<const CertifiedKey*>& chain = {},
                       int version = 0)
      : socket(port), context_(SSL_CTX_new(TLS_client_method())) {
    if (version != 0) SSL_CTX_set_max_proto_version(context_.get(), version);
    if (identity) {
      SSL_CTX_use_certificate(context_.get(), identity->certificate.get());
      SSL_CTX_use_PrivateKey(context_.get(), identity->key.get());
    }
    for (const CertifiedKey* const link : chain) SSL_CTX_add1_chain_cert(context_.get(), link->certificate.get());
    SSL_CTX_set_session_cache_mode(context_.get(), SSL_SESS_CACHE_CLIENT);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), socket.descriptor());
    SSL_set_connect_state(ssl_.get());
  }
  bool shake() {
    ERR_clear_error();
    return SSL_do_handshake(ssl_.get()) == 1;
  }
  void send(const std::string& text) {
    CHECK(SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) == static_cast<int>(text.size()));
  }
  /// True if the server has ended the connection, normally or by an alert.
  bool hear() {
    char bytes[4096];
    ERR_clear_error();
    const int n = SSL_read(ssl_.get(), bytes, sizeof bytes);
    if (n > 0) heard.append(bytes, static_cast<std::size_t>(n));
    return n <= 0 && SSL_get_error(ssl_.get(), n) != SSL_ERROR_WANT_READ;
  }
  std::string listen() {
    heard.clear();
    hear();
    return heard;
  }
  SSL* tls() const noexcept { return ssl_.get(); }
  Stranger socket;
  std::string heard;

 private:
  TlsContextPtr context_;
  std::unique_ptr<SSL, OpenSslDeleter<SSL_free>> ssl_;
};

}  // namespace rollcall::testing
