// The client side's TLS configuration: trust anchors, identity, versions, sessions.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "net/tls/pem_files.hpp"
#include "net/tls/socket_bio.hpp"
#include "net/tls/tls_fault.hpp"
#include "net/tls/tls_sessions.hpp"
#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

class TlsContext {
 public:
  /// The system's trust anchors are OpenSSL's directory, read as needed; a bundle file only if there is no such directory or SSL_CERT_FILE
  /// names one; SSL_CERT_DIR names other directories, separated by colons. `access`, if any, may have trust anchors and a client
  /// certificate of its own. Errors: invalid_argument naming the file.
  static Result<std::unique_ptr<TlsContext>> create(const TlsFiles& files, const ServerAccess* access = nullptr);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// A client object for `host`, not attached to a socket yet: SNI and name check (an address check for an IP literal). `fault` is filled
  /// in when the verification fails and must outlive the handshake. Null when out of memory, and for a `host` that no certificate can match
  /// (empty, or with a zero byte).
  SslPtr make(const std::string& host, std::uint16_t port, TlsFault& fault);
  /// Lets the handshake resume a session of the host, if there is one. Call it right before the first step: sessions arrive at any time.
  void resume(SSL* ssl);

 private:
  struct CtxDeleter {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  };
  explicit TlsContext(SSL_CTX* context);
  static int on_new_session(SSL* ssl, SSL_SESSION* session);

  std::unique_ptr<SSL_CTX, CtxDeleter> context_;
  TlsSessions sessions_;
  bool skips_verification_ = false;
};

}  // namespace rollcall
