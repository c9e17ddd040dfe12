// Access tokens: handing them out and judging them.
#pragma once

#include <string>

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// The token endpoint's JSON: the same token until `renewed_before` its end, `expires_in` counting down.
std::string token_json(const Context& context);

/// A bare JWT as `identity?audience=…` answers; its signature is not one.
std::string identity_token(const Context& context, std::string_view audience);

/// The Authorization header's bearer token; empty: there is none.
std::string_view bearer_of(const Request& request);

enum class TokenVerdict { accepted, missing, refused, expired };
/// Judges the Authorization header (or `access_token` query value) of a request.
TokenVerdict judge_token(const Context& context, const Request& request, std::string_view query_token);

/// From now on the presented token counts as expired and the metadata server makes a new one.
void expire_token(const Context& context, const Request& request);

}  // namespace rollcall::sim
