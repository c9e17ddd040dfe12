// Hints for refusals by a server: they depend on what was presented, a token, a client certificate, or nothing.
#pragma once

#include "call/api_client.hpp"

namespace rollcall {

/// Adds to the hint of `failure`, the end of an attempt of `request`, what was presented and why it may be rejected. `sent` is the token
/// that was sent, if any. Other failures are not changed, and neither are refusals by a server with a hint of its own.
void explain_refusal(Call& call, const ApiRequest& request, const AccessToken& sent, Failure& failure);

}  // namespace rollcall
