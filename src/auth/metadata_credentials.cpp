// The metadata server's token of the VM's default service account.
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "auth/token_cache.hpp"
#include "auth/wire/token.hpp"
#include "base/saturating.hpp"
#include "call/runtime_impl.hpp"
#include "call/single_flight.hpp"
#include "google/metadata_client.hpp"

namespace rollcall {
namespace {

asio::awaitable<Result<AccessToken>> fetch_token(Call& call) {
  Runtime::Impl& impl = call.impl();
  Result<ApiRequest> request = metadata_request(impl, "instance/service-accounts/default/token");
  if (!request) co_return request.error();
  request->what = "metadata token";
  impl.emit({.kind = EventKind::token_refresh_started, .call = call.id(), .subject = request->http.url.host});
  const WallTime requested_at = impl.time->wall_now();
  Result<HttpResponse> response = co_await api_send(call, *request);
  Result<AccessToken> token = Failure();
  if (response) {
    Result<TokenReply> reply = parse_token_reply(response->body);
    wipe(response->body.data(), response->body.size());
    if (reply) {
      AccessToken fresh(std::move(reply->access_token));
      // Without a lifetime the token serves this one request.
      fresh.expires_at = saturating_sum(requested_at, reply->lifetime.value_or(Duration::zero()));
      token = std::move(fresh);
    } else {
      token = reply.error();
    }
  } else {
    token = response.error();
  }
  Failure failure;
  if (!token) {
    failure = token.error();
    if (failure.target().empty()) failure.with_target(request->http.url.without_query());
    token = failure;
  }
  impl.emit({.kind = EventKind::token_refresh_finished,
             .call = call.id(),
             .subject = request->http.url.host,
             .failure = token ? nullptr : &failure});
  co_return token;
}

class MetadataToken final : public Credentials, public std::enable_shared_from_this<MetadataToken> {
 public:
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    const TokenUse use = cache_.verdict(call.impl().time->wall_now());
    if (use == TokenUse::use) co_return cache_.token();
    const auto self = shared_from_this();
    if (use == TokenUse::use_and_refresh) {
      // Nobody waits for this refresh: the old token serves.
      asio::co_spawn(call.impl().executor, refresh(self, call.impl().shared_from_this(), CallOptions()), asio::detached);
      co_return cache_.token();
    }
    Result<AccessToken> fetched = co_await refresh(self, call.impl().shared_from_this(), options_within(call));
    co_return fetched;
  }

  std::optional<Result<AccessToken>> cached_token(Call& call) override {
    if (cache_.verdict(call.impl().time->wall_now()) != TokenUse::use) return std::nullopt;
    return cache_.token();
  }

  void invalidate(const AccessToken& rejected) override { cache_.invalidate(rejected); }
  std::string describe() const override { return "the metadata server"; }

 private:
  static asio::awaitable<Result<AccessToken>> refresh(std::shared_ptr<MetadataToken> self, std::shared_ptr<Runtime::Impl> impl,
                                                      CallOptions options) {
    auto script = [self](Call& call) { return fetch_and_store(self, call); };
    Result<AccessToken> token = co_await self->flight_.run(impl, std::move(options), "access token", script);
    co_return token;
  }

  static asio::awaitable<Result<AccessToken>> fetch_and_store(std::shared_ptr<MetadataToken> self, Call& call) {
    const WallTime requested_at = call.impl().time->wall_now();
    Result<AccessToken> token = co_await fetch_token(call);
    if (token) {
      self->cache_.store(*token, requested_at);
    } else {
      self->cache_.refresh_failed(call.impl().time->wall_now());
    }
    co_return token;
  }

  TokenCache cache_;
  SingleFlight<AccessToken> flight_;
};

}  // namespace

std::shared_ptr<Credentials> metadata_token() { return std::make_shared<MetadataToken>(); }

}  // namespace rollcall
