#include "auth/token_cache.hpp"
#include "base/saturating.hpp"

#include <algorithm>

namespace rollcall {

void TokenCache::store(AccessToken token, WallTime requested_at) {
  if (token.expires_at) {
    const Duration lifetime = std::max(saturating_difference(*token.expires_at, requested_at), Duration::zero());
    stale_at_ = saturating_sum(*token.expires_at, -std::min<Duration>(std::chrono::seconds(225), lifetime / 2));
  }
  next_refresh_ = WallTime::min();
  token_ = std::move(token);
}

TokenUse TokenCache::verdict(WallTime now) const {
  if (!is_valid(now)) return TokenUse::fetch;
  if (!token_->expires_at || now < stale_at_ || now < next_refresh_) return TokenUse::use;
  return TokenUse::use_and_refresh;
}

void TokenCache::invalidate(const AccessToken& rejected) {
  if (token_ && token_->value == rejected.value) token_.reset();
}

}  // namespace rollcall
