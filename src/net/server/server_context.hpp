// A server's certificate, and the authorities of its clients, from PEM files that are read again when they change.
#pragma once

#include <openssl/ssl.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/server/http_server.hpp"
#include "net/server/server_exchange.hpp"
#include "net/tls/pem_files.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

class ServerContext {
 public:
  /// Called once for each unusable state of the files, while the last good state is used.
  using OnTrouble = std::function<void(const Failure&)>;

  /// TLS 1.2 and newer. With `files.authorities`, clients may present a certificate; one of another authority, or not for clients (extended
  /// key usage), or not valid now, fails the handshake. Errors: invalid_argument, naming the file.
  static Result<std::shared_ptr<ServerContext>> open(TlsFiles files, std::shared_ptr<TimeSource> time, OnTrouble on_trouble);

  /// The current context: the files are checked at most once a second. Valid until the next call.
  SSL_CTX* current();
  /// Uses other files from now on. Errors: as open(); the old ones are kept.
  Result<void> change(TlsFiles files);
  /// `host` if the certificate is for it, else the certificate's first name; `host` if it has none.
  std::string name_for(const std::string& host) const;

 private:
  struct ContextDeleter {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  };
  using ContextPtr = std::unique_ptr<SSL_CTX, ContextDeleter>;
  static Result<ContextPtr> make(const TlsFiles& files);
  ServerContext() {}

  TlsFiles files_;
  std::shared_ptr<TimeSource> time_;
  OnTrouble on_trouble_;
  ContextPtr context_;
  std::string stamp_;  // state of the files when they were read last, usable or not
  SteadyTime polled_at_{};
};

/// The certificate that the client of a finished handshake has presented; null: none, or none that was verified.
std::shared_ptr<const ClientCertificate> certificate_of_client(const SSL& connection);

}  // namespace rollcall
