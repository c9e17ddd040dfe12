#include "auth/refreshed_credentials.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "call/runtime_impl.hpp"

namespace rollcall {

asio::awaitable<Result<AccessToken>> RefreshedCredentials::token(Call& call) {
  const TokenUse use = cache_.verdict(Instant(*impl_of(call).time));
  if (use == TokenUse::use) co_return cache_.token();
  const std::shared_ptr<RefreshedCredentials> self = shared_from_this();
  if (use == TokenUse::use_and_refresh) {
    asio::co_spawn(impl_of(call).executor, refresh(self, impl_of(call).shared_from_this()), asio::detached);
    co_return cache_.token();
  }
  auto script = [self](Call& inner) { return fetch_and_store(self, inner); };
  co_return co_await flight_.run(call, CallSubject("token of " + describe()), std::move(script));
}

std::optional<Result<AccessToken>> RefreshedCredentials::cached_token(Call& call) {
  if (cache_.verdict(Instant(*impl_of(call).time)) != TokenUse::use) return std::nullopt;
  return cache_.token();
}

void RefreshedCredentials::invalidate(const AccessToken& rejected) { cache_.invalidate(rejected); }

asio::awaitable<Result<AccessToken>> RefreshedCredentials::refresh(std::shared_ptr<RefreshedCredentials> self,
                                                                   std::shared_ptr<Runtime::Impl> impl) {
  auto script = [self](Call& call) { return fetch_and_store(self, call); };
  co_return co_await self->flight_.run(std::move(impl), CallOptions(), CallSubject("token of " + self->describe()), std::move(script));
}

asio::awaitable<Result<AccessToken>> RefreshedCredentials::fetch_and_store(std::shared_ptr<RefreshedCredentials> self, Call& call) {
  Runtime::Impl& impl = impl_of(call);
  const Instant requested_at(*impl.time);
  const std::string subject = self->describe();
  impl.emit({.kind = EventKind::token_refresh_started, .call = call.id(), .subject = subject});
  Result<AccessToken> token = co_await self->fetch(call);
  std::optional<Failure> failure;
  if (token) {
    self->cache_.store(*token, requested_at, std::chrono::duration_cast<Duration>(TokenCache::max_jitter * impl.uniform()));
  } else {
    self->cache_.refresh_failed(impl.time->now());
    failure = token.error();
  }
  impl.emit({.kind = EventKind::token_refresh_finished, .call = call.id(), .subject = subject, .failure = failure ? &*failure : nullptr});
  co_return token;
}

}  // namespace rollcall
