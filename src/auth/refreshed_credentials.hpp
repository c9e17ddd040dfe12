// What every credential that is asked for over and over shares: its token is kept, refreshed before it ends, and fetched once for all who
// wait for it.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "auth/token_cache.hpp"
#include "call/single_flight.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {

/// A kind says how one token is fetched; when, and for whom, is said here. Owned by shared pointers.
class RefreshedCredentials : public Credentials, public std::enable_shared_from_this<RefreshedCredentials> {
 public:
  /// While a token is stale it is returned at once and a new one is fetched in the background: nobody waits for that, and its failure is
  /// told only in events.
  asio::awaitable<Result<AccessToken>> token(Call& call) override;
  std::optional<Result<AccessToken>> cached_token(Call& call) override;
  void invalidate(const AccessToken& rejected) override;

 protected:
  /// One new token. `expires_at` in the past: good for the requests that wait for it; none: good until it is refused. May suspend;
  /// cancellable. At most one runs at a time.
  virtual asio::awaitable<Result<AccessToken>> fetch(Call& call) = 0;

 private:
  static asio::awaitable<Result<AccessToken>> refresh(std::shared_ptr<RefreshedCredentials> self, std::shared_ptr<Runtime::Impl> impl);
  static asio::awaitable<Result<AccessToken>> fetch_and_store(std::shared_ptr<RefreshedCredentials> self, Call& call);

  TokenCache cache_;
  SingleFlight<AccessToken> flight_;
};

}  // namespace rollcall
