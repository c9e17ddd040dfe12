// Parses access tokens: metadata server and OAuth replies, and a user's text. Messages never quote them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class TokenReply {
 public:
  TokenReply() {}
  Secret<std::string> access_token;
  /// Counted from when the request was sent. Zero or less in the reply is zero; absent there, the token is valid for one use.
  std::optional<Duration> lifetime;
  Secret<std::string> refresh_token;  ///< empty: the token that was sent stays valid
};

/// `{"access_token": …, "expires_in": 3599, "token_type": "Bearer"}`; `expires_in` may be a text. Errors: malformed_response (not JSON,
/// no token, blanks or control characters in it, a type other than Bearer, an `expires_in` that is no number).
Result<TokenReply> parse_token_reply(std::string_view json);

/// IAM credentials' `{"accessToken": …, "expireTime": "2026-11-20T18:22:41Z"}`. Errors: malformed_response.
Result<TokenReply> parse_generated_token(std::string_view json, WallTime now);

}  // namespace rollcall
