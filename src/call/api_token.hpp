// The token of one attempt: whether there is one, whose it is, where it is not to be seen, and whether there is another.
#pragma once

#include <asio/awaitable.hpp>

#include "call/api_client.hpp"
#include "call/token_mask.hpp"

namespace rollcall {

inline bool sends_token(const ApiRequest& request) noexcept { return request.with_token && request.is_token_allowed; }
Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept;

/// For the request's token; hides nothing without one, and none that is too short to be told from a word. The table is made once for
/// all that follow with the same token.
TokenMask mask_for(Runtime::Impl& impl, const ApiRequest& request);
/// Hides the request's token in its answer, before anybody reads it and cuts what is quoted of it. What somebody fetched of their own
/// accord is theirs as it came.
void hide_token(const TokenMask& mask, const ApiRequest& request, Result<HttpResponse>& answer);
/// Gives `sink` what may be seen of a piece of an answer; an empty piece is the end.
Result<void> take_masked(TokenMask& mask, std::string_view piece, BodySink& sink);

/// After a 401: nobody is to send `refused` again.
void forget_token(Call& call, const ApiRequest& request, const AccessToken& refused);
/// Whether the credentials know another token than `refused`: else asking again is in vain. May suspend.
asio::awaitable<bool> has_other_token(Call& call, const ApiRequest& request, const AccessToken& refused);

}  // namespace rollcall
