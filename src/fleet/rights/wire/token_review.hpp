// Kubernetes' TokenReview (authentication.k8s.io/v1): asks the API server for the owner of a token, and whether the token's pod still
// exists.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// The body of the request. It contains the token.
std::string render_token_review(std::string_view token, std::string_view audience);

/// Parses the user's name. The answer must list the audience: an API server that ignores audiences lists none, and its verdict is that
/// the token is valid for the API server itself [facts: k8s-token-review]. Errors: unauthenticated (the token is refused; without the
/// server's message, which may quote the token), malformed_response.
Result<std::string> parse_token_review(std::string_view text, std::string_view audience);

}  // namespace rollcall::fleet
