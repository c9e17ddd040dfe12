// JSON Web Tokens (RFC 7515, 7519) from clients: parsed, not yet verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::fleet {

enum class SignatureAlgorithm { rs256, es256 };

class JsonWebToken {
 public:
  JsonWebToken() {}
  SignatureAlgorithm algorithm = SignatureAlgorithm::rs256;
  std::string key_id;       ///< id of the key; empty: none
  std::string signed_part;  ///< the signed bytes
  std::string signature;

  std::string issuer;
  std::string subject;
  std::vector<std::string> audiences;
  std::optional<std::int64_t> expires;  ///< this and the following: whole seconds since 1970
  std::optional<std::int64_t> not_before;
  std::optional<std::int64_t> issued_at;

  // in Google's tokens
  std::string email;
  bool is_email_verified = false;
  std::string instance_project;  ///< google.compute_engine.project_id of format=full
};

inline constexpr std::size_t max_token_bytes = 16 * 1024;

/// Parses a compact serialization, signed with RS256 or ES256. Other algorithms, `none` and shared secrets included, are
/// refused, and so are headers with `crit` and objects with duplicate keys. Keys, and addresses of keys, in the header are ignored.
/// Errors: unauthenticated; they say which check failed and quote nothing of the token.
Result<JsonWebToken> parse_json_web_token(std::string_view text);

}  // namespace rollcall::fleet
