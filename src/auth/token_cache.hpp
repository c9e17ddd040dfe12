// When a cached token may be used, as arithmetic.
#pragma once

#include <algorithm>
#include <optional>

#include "base/saturating.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {

enum class TokenUse {
  use,               ///< fresh
  use_and_refresh,   ///< near its expiry: still good, but a new one should be fetched now
  fetch,             ///< none, expired, or refused
};

/// Holds one token. Stale from 225 s before its expiry, as google-auth has it (the metadata server hands out the same token until
/// 5 min before the end, so a longer slack would ask it again and again), but never more than half the lifetime.
class TokenCache {
 public:
  void store(AccessToken token, WallTime requested_at) {
    if (token.expires_at) {
      const Duration lifetime = std::max(saturating_difference(*token.expires_at, requested_at), Duration::zero());
      stale_at_ = saturating_sum(*token.expires_at, -std::min<Duration>(std::chrono::seconds(225), lifetime / 2));
    }
    next_refresh_ = WallTime::min();
    token_ = std::move(token);
  }
  TokenUse verdict(WallTime now) const {
    if (!is_valid(now)) return TokenUse::fetch;
    if (!token_->expires_at || now < stale_at_ || now < next_refresh_) return TokenUse::use;
    return TokenUse::use_and_refresh;
  }
  const AccessToken& token() const { return *token_; }
  bool has_token() const { return token_.has_value(); }
  /// True while the token is valid, stale or not.
  bool is_valid(WallTime now) const { return token_ && (!token_->expires_at || now < *token_->expires_at); }
  /// Forgets the token if it is `rejected`.
  void invalidate(const AccessToken& rejected) {
    if (token_ && token_->is_same(rejected)) token_.reset();
  }
  /// A refresh failed at `now`: not before a second later is another worth it while the old token serves.
  void refresh_failed(WallTime now) { next_refresh_ = saturating_sum(now, std::chrono::seconds(1)); }

 private:
  std::optional<AccessToken> token_;
  WallTime stale_at_{};
  WallTime next_refresh_{};
};

}  // namespace rollcall
