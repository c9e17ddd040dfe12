// What a certificate in PEM says of itself: whose it is, who issued it and when it is good; and whether a key is its own.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class CertificateFacts {
 public:
  CertificateFacts() {}
  std::string name;    ///< the subject's common name, else its other parts: whom a server takes the client for. Printable, may be empty
  std::string issuer;  ///< the same of the issuer
  WallTime begins{};
  WallTime ends{};
};

/// The first certificate of the PEM text. Times before 1678 and after 2261 become those. Errors: invalid_argument; what() goes behind the
/// name of the text ("holds no PEM certificate") and quotes nothing of it.
Result<CertificateFacts> read_certificate(std::string_view pem);

/// Why a certificate cannot be used at `now`: "ended on 2025-01-01T00:00:00Z (321 d 4 h ago)"; empty: it can be, as far as its dates go.
std::string date_fault(const CertificateFacts& facts, WallTime now);

/// Whether `key` (PEM) belongs to the first certificate of `certificate` (PEM). Errors: invalid_argument, as read_certificate() and
/// read_private_key() have it.
Result<bool> is_key_of(std::string_view key, std::string_view certificate);

class AuthorityFacts {
 public:
  AuthorityFacts() {}
  int count = 0;
  int ended = 0;  ///< of them, those that have ended
};
/// Counts the certificates of the PEM text. Errors: invalid_argument, as read_certificate() has it, and where a later one is damaged.
Result<AuthorityFacts> read_authorities(std::string_view pem, WallTime now);

}  // namespace rollcall
