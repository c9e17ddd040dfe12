// Who a TLS handshake proved the server to be.
#pragma once

#include <optional>
#include <string>

#include "rollcall/http.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Texts are printable.
class ServerCertificate {
 public:
  ServerCertificate() {}
  std::string issuer;                      ///< of the server's own certificate
  std::optional<WallTime> valid_until;     ///< none: beyond what a WallTime can tell
  std::string protocol;                    ///< `TLSv1.3`
};

/// An observer of an exchange that is told of the server's certificate, too, when a connection was opened for it by TLS. Transports that do
/// not know of certificates say nothing.
class CertificateObserver : public ExchangeObserver {
 public:
  virtual void certificate_seen(const ServerCertificate& certificate) noexcept = 0;
};

}  // namespace rollcall
