// The token of one attempt: whether there is one, whose it is, and whether there is another.
#pragma once

#include <asio/awaitable.hpp>

#include "async/api_client.hpp"

namespace rollcall {

inline bool sends_token(const ApiRequest& request) noexcept { return request.with_token && request.is_token_allowed; }
Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept;

/// After a 401: nobody is to send `refused` again.
void forget_token(Call& call, const ApiRequest& request, const AccessToken& refused);
/// Whether the credentials know another token than `refused`: else asking again is in vain. May suspend.
asio::awaitable<bool> has_other_token(Call& call, const ApiRequest& request, const AccessToken& refused);

}  // namespace rollcall
