// Kubernetes' TokenReview (authentication.k8s.io/v1): the API server is asked whose a token is, and whether that pod still is.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// The body of the question. It holds the token.
std::string render_token_review(std::string_view token, std::string_view audience);

/// The user's name. The answer must have the audience among its own: an API server that has not looked at it says none, and means that
/// the token is good for itself [facts: k8s-token-review]. Errors: unauthenticated (the token is refused; with nothing of the server's
/// words, which may quote it), malformed_response.
Result<std::string> parse_token_review(std::string_view text, std::string_view audience);

}  // namespace rollcall::fleet
