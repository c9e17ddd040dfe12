#include "async/api_token.hpp"

#include "async/runtime_impl.hpp"
#include "async/token_mask.hpp"

namespace rollcall {

Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept {
  return request.credentials ? *request.credentials : *call.impl().credentials;
}

void hide_token(const ApiRequest& request, Result<HttpResponse>& answer) {
  if (request.http.bearer.empty()) return;
  const TokenMask mask(request.http.bearer.reveal());
  if (!answer) {
    Failure failure = answer.error();
    mask.hide_in(failure);
    answer = std::move(failure);
  } else if (request.service != Service::other || answer->status >= 300) {
    mask.hide_in_body(answer->body);
  }
}

void forget_token(Call& call, const ApiRequest& request, const AccessToken& refused) {
  if (!refused.value.empty()) credentials_for(call, request).invalidate(refused);
}

asio::awaitable<bool> has_other_token(Call& call, const ApiRequest& request, const AccessToken& refused) {
  if (refused.value.empty()) co_return false;
  const Result<AccessToken> other = co_await credentials_for(call, request).token(call);
  co_return !other || other->value != refused.value;  // why there is none, the next attempt will say
}

}  // namespace rollcall
