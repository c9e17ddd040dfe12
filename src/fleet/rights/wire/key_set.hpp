// JSON Web Key Sets (RFC 7517, 7518): the public keys of an issuer of tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/rights/wire/json_web_token.hpp"
#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// A key that verifies tokens.
class WebKey {
 public:
  WebKey() {}
  std::string id;  ///< empty: the key has no id
  SignatureAlgorithm algorithm = SignatureAlgorithm::rs256;
  std::string fault;  ///< why its signatures are refused ("has 1024 bits: fewer than 2048 are refused"); empty: they are accepted
  std::string modulus;   ///< of RSA; this and the following: big-endian, without leading zeros
  std::string exponent;
  std::string x;  ///< of P-256: 32 bytes each
  std::string y;
};

inline constexpr std::size_t max_keys_of_issuer = 64;

/// Parses the keys for RS256 and ES256; keys of other kinds, and for other uses than signatures, are skipped. Errors: malformed_response
/// (no JSON, a key without its numbers, no usable key), limit_exceeded (more than `max_keys_of_issuer` keys).
Result<std::vector<WebKey>> parse_key_set(std::string_view text);

/// Parses the `issuer` of a discovery document (OpenID Connect Discovery 1.0, section 3). Its addresses are ignored: they could send a
/// token to another server. Errors: malformed_response.
Result<std::string> parse_issuer(std::string_view text);

}  // namespace rollcall::fleet
