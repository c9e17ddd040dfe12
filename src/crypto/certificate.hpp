// The content of a PEM certificate: its owner, its issuer and its dates; and whether a key belongs to it.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class CertificateFacts {
 public:
  CertificateFacts() {}
  std::string name;    ///< the subject's common name, else its other parts: the client's name for a server. Printable, may be empty
  std::string issuer;  ///< the same for the issuer
  WallTime begins{};
  WallTime ends{};
};

/// The first certificate of the PEM text. Times before 1678 and after 2261 are clamped. Errors: invalid_argument; what() follows the name
/// of the text ("holds no PEM certificate") and quotes nothing of it.
Result<CertificateFacts> read_certificate(std::string_view pem);

/// Why a certificate is not valid at `now`: "ended on 2025-01-01T00:00:00Z (321 d 4 h ago)"; empty: its dates are valid.
std::string date_fault(const CertificateFacts& facts, WallTime now);

/// True if `key` (PEM) belongs to the first certificate of `certificate` (PEM). Errors: invalid_argument, as read_certificate() and
/// read_private_key().
Result<bool> is_key_of(std::string_view key, std::string_view certificate);

class AuthorityFacts {
 public:
  AuthorityFacts() {}
  int count = 0;
  int ended = 0;  ///< of them, the expired ones
};
/// Counts the certificates of the PEM text. Errors: invalid_argument, as read_certificate(), and if a later one is damaged.
Result<AuthorityFacts> read_authorities(std::string_view pem, WallTime now);

}  // namespace rollcall
