// Describes the fault of a server's certificate or its TLS in plain words.
#pragma once

#include <openssl/ssl.h>

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// Filled in during the verification: afterwards a rejected certificate is not available.
class TlsFault {
 public:
  TlsFault() {}
  long code = X509_V_OK;           ///< X509_V_ERR_…
  std::string names;               ///< the names in the server's certificate, escaped, a few
  std::string subject;             ///< of the certificate with the fault
  std::string issuer;
  std::string date;                ///< when it expired or becomes valid
  std::string distance;            ///< how long ago, or how far ahead, that is
  std::string usages;              ///< the permitted uses, if the certificate lists them
  bool is_authority = false;       ///< it is not the server's own certificate but one of its chain
};

/// For SSL_set_verify; the fault is the object's application data.
int note_verification(int is_good, X509_STORE_CTX* store);

/// The failure of a handshake with `host`, from OpenSSL's error queue, `errno_value` and `fault`; `authorities_from`: as HandshakeWith's.
/// Errors: tls_failed; unreachable when the server closed or reset the connection instead of answering.
Failure describe_handshake_failure(const std::string& host, const TlsFault& fault, int ssl_error, unsigned long queue_error,
                                   int errno_value, std::string_view authorities_from);

/// A connection that the server ended with an alert after the handshake, such as for lack of a client certificate. None: `error` is
/// something else. Errors: tls_failed.
std::optional<Failure> describe_alert(std::error_code error);

}  // namespace rollcall
