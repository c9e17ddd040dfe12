// The token of one attempt: whether the request carries one, which credentials give it, how it is hidden, and whether there is another.
#pragma once

#include <asio/awaitable.hpp>

#include "call/api_client.hpp"
#include "call/token_mask.hpp"

namespace rollcall {

inline bool sends_token(const ApiRequest& request) noexcept { return request.with_token && request.is_token_allowed; }
Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept;

/// The mask for the request's token. It hides nothing if there is no token, or one too short to be told from a word. The table is made
/// once for all requests with the same token.
TokenMask mask_for(Runtime::Impl& impl, const ApiRequest& request);
/// Hides the request's token in its answer, before a parser or a message quotes from it. A user's own request (Call::fetch) gets its
/// answer as it came.
void hide_token(const TokenMask& mask, const ApiRequest& request, Result<HttpResponse>& answer);
/// Hides what the request carries besides a token.
void hide_secrets(const ApiRequest& request, Failure& failure);
/// Gives `sink` a piece of the answer with the token hidden; an empty piece is the end.
Result<void> take_masked(TokenMask& mask, std::string_view piece, BodySink& sink);

/// After a 401: the credentials forget `refused`, so that no request sends it again.
void forget_token(Call& call, const ApiRequest& request, const AccessToken& refused);
/// True if the credentials have another token than `refused`; if not, asking again is in vain. May suspend.
asio::awaitable<bool> has_other_token(Call& call, const ApiRequest& request, const AccessToken& refused);

}  // namespace rollcall
