// The token of one attempt: whether there is one, whose it is, where it is not to be seen, and whether there is another.
#pragma once

#include <asio/awaitable.hpp>

#include "async/api_client.hpp"

namespace rollcall {

inline bool sends_token(const ApiRequest& request) noexcept { return request.with_token && request.is_token_allowed; }
Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept;

/// Hides the request's token in its answer, before anybody reads it and cuts what is quoted of it. What somebody fetched of their own
/// accord is theirs as it came.
void hide_token(const ApiRequest& request, Result<HttpResponse>& answer);

/// After a 401: nobody is to send `refused` again.
void forget_token(Call& call, const ApiRequest& request, const AccessToken& refused);
/// Whether the credentials know another token than `refused`: else asking again is in vain. May suspend.
asio::awaitable<bool> has_other_token(Call& call, const ApiRequest& request, const AccessToken& refused);

}  // namespace rollcall
