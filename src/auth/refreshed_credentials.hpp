// Base of credentials with short-lived tokens: the token is cached, refreshed before it expires, and fetched once for all waiting callers.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "auth/token_cache.hpp"
#include "call/single_flight.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {

/// A derived class fetches one token; this class decides when. Owned by shared pointers.
class RefreshedCredentials : public Credentials, public std::enable_shared_from_this<RefreshedCredentials> {
 public:
  /// A stale token is returned at once and a new one is fetched in the background: no caller waits for that, and its failure is only
  /// reported by events.
  asio::awaitable<Result<AccessToken>> token(Call& call) override;
  std::optional<Result<AccessToken>> cached_token(Call& call) override;
  void invalidate(const AccessToken& rejected) override;

 protected:
  /// One new token. `expires_at` in the past: valid for the requests that wait for it; none: valid until it is rejected. May suspend;
  /// cancellable. At most one runs at a time.
  virtual asio::awaitable<Result<AccessToken>> fetch(Call& call) = 0;

 private:
  static asio::awaitable<Result<AccessToken>> refresh(std::shared_ptr<RefreshedCredentials> self, std::shared_ptr<Runtime::Impl> impl);
  static asio::awaitable<Result<AccessToken>> fetch_and_store(std::shared_ptr<RefreshedCredentials> self, Call& call);

  TokenCache cache_;
  SingleFlight<AccessToken> flight_;
};

}  // namespace rollcall
