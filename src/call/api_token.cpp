#include "call/api_token.hpp"

#include "call/runtime_impl.hpp"

namespace rollcall {

Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept {
  return request.credentials ? *request.credentials : *call.impl().credentials;
}

TokenMask mask_for(Runtime::Impl& impl, const ApiRequest& request) {
  const Secret<std::string>& token = request.http.bearer;
  if (token.reveal().size() < TokenTable::least_token) return TokenMask(nullptr);
  if (!impl.token_table || impl.token_table->token() != token) impl.token_table = std::make_shared<const TokenTable>(token);
  return TokenMask(impl.token_table);
}

void hide_token(const TokenMask& mask, const ApiRequest& request, Result<HttpResponse>& answer) {
  if (!answer) {
    Failure failure = answer.error();
    mask.hide_in(failure);
    answer = std::move(failure);
  } else if (request.service != Service::other || answer->status >= 300) {
    mask.hide_in(answer->body);
  }
}

void hide_secrets(const ApiRequest& request, Failure& failure) {
  for (const Secret<std::string>& secret : request.secrets) {
    if (secret.reveal().size() >= TokenTable::least_token) TokenMask(std::make_shared<const TokenTable>(secret)).hide_in(failure);
  }
}

Result<void> take_masked(TokenMask& mask, std::string_view piece, BodySink& sink) {
  const auto take = [&sink](std::string_view shown) { return shown.empty() ? Result<void>() : sink.take(shown); };
  if (piece.empty()) return take(mask.rest());
  while (!piece.empty()) {
    const std::string_view front = mask.front(piece);
    const Result<void> taken = take(mask.next(front));
    if (!taken) return taken;
    piece.remove_prefix(front.size());
  }
  return {};
}

namespace {

// Nothing was sent that the server could have refused.
bool is_nothing(const AccessToken& token) noexcept { return token.value.empty() && !token.access; }

}  // namespace

void forget_token(Call& call, const ApiRequest& request, const AccessToken& refused) {
  if (!is_nothing(refused)) credentials_for(call, request).invalidate(refused);
}

asio::awaitable<bool> has_other_token(Call& call, const ApiRequest& request, const AccessToken& refused) {
  if (is_nothing(refused)) co_return false;
  const Result<AccessToken> other = co_await credentials_for(call, request).token(call);
  co_return !other || !other->is_same(refused);  // why there is none, the next attempt will say
}

}  // namespace rollcall
