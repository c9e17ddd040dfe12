// The identity of a server that a TLS handshake verified.
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
  std::optional<WallTime> valid_until;     ///< none: outside the range of WallTime
  std::string protocol;                    ///< `TLSv1.3`
};

/// An observer of an exchange that also receives the server's certificate when a new TLS connection was opened for it. Transports without
/// certificates do not call it.
class CertificateObserver : public ExchangeObserver {
 public:
  virtual void certificate_seen(const ServerCertificate& certificate) noexcept = 0;
};

}  // namespace rollcall
