// A server's certificate, and whose clients it knows, from PEM files that are read again when they change.
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
  /// Called once for each state of the files that cannot be used, while the last good one serves.
  using OnTrouble = std::function<void(const Failure&)>;

  /// TLS 1.2 and newer. With `files.authorities`, clients may show a certificate of theirs; one that is none of theirs, or not for clients
  /// (extended key usage), or out of its time, ends the handshake. Errors: invalid_argument, naming the file.
  static Result<std::shared_ptr<ServerContext>> open(TlsFiles files, std::shared_ptr<TimeSource> time, OnTrouble on_trouble);

  /// What holds now: the files are looked at once a second at most. Lives until the next call.
  SSL_CTX* current();
  /// Other files from now on. Errors: as open(); the old ones stay.
  Result<void> change(TlsFiles files);
  /// `host` if the certificate is for it, else the first name that it is for; `host` if it has none.
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
  std::string stamp_;  // of the files when they were read last, whether they could be used or not
  SteadyTime polled_at_{};
};

/// What the client of a finished handshake has shown; null: nothing, or nothing that was verified.
std::shared_ptr<const ClientCertificate> certificate_of_client(const SSL& connection);

}  // namespace rollcall
