#include "async/api_token.hpp"

#include "async/runtime_impl.hpp"

namespace rollcall {

Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept {
  return request.credentials ? *request.credentials : *call.impl().credentials;
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
