// What to do where a server refuses: it depends on what was presented to it, a token, a client certificate, or nothing.
#pragma once

#include "call/api_client.hpp"

namespace rollcall {

/// Puts into the hint of `failure`, the end of an attempt of `request`, what was presented and why that may not do. `sent` is the token
/// that went with it, if any. What is no refusal stays as it is, and so does one by a server that has a hint of its own.
void explain_refusal(Call& call, const ApiRequest& request, const AccessToken& sent, Failure& failure);

}  // namespace rollcall
