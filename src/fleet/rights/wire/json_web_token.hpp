// JSON Web Tokens (RFC 7515, 7519) as clients of a service show them: taken apart, nothing of them believed yet.
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
  std::string key_id;       ///< empty: it names none
  std::string signed_part;  ///< what the signature is over
  std::string signature;

  std::string issuer;
  std::string subject;
  std::vector<std::string> audiences;
  std::optional<std::int64_t> expires;  ///< this and the others: seconds since 1970, whole ones
  std::optional<std::int64_t> not_before;
  std::optional<std::int64_t> issued_at;

  // Google's
  std::string email;
  bool is_email_verified = false;
  std::string instance_project;  ///< google.compute_engine.project_id of format=full
};

inline constexpr std::size_t max_token_bytes = 16 * 1024;

/// Compact serialization, signed with RS256 or ES256; every other algorithm, `none` and those with a shared secret among them, is
/// refused, and so are headers with `crit` and objects with a key twice. Keys and addresses of keys in the header are not looked at.
/// Errors: unauthenticated; they say which check failed and quote nothing of the token.
Result<JsonWebToken> parse_json_web_token(std::string_view text);

}  // namespace rollcall::fleet
