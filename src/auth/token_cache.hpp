// Keeps one access token, and decides at each request whether it is used, used and refreshed, or fetched first. Pure.
#pragma once

#include <algorithm>
#include <optional>

#include "base/saturating.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {

/// One moment by both clocks: expiries are dates, but a wall clock may be set back, and a steady one stops while a machine is suspended.
class Instant {
 public:
  Instant(WallTime wall_time, SteadyTime steady_time) : wall(wall_time), steady(steady_time) {}
  explicit Instant(const TimeSource& time) : Instant(time.wall_now(), time.now()) {}
  WallTime wall;
  SteadyTime steady;
};

enum class TokenUse {
  use,               ///< fresh
  use_and_refresh,   ///< near its expiry: still valid, but a new one should be fetched now
  fetch,             ///< none, expired, or rejected
};

/// Holds one token. Stale from 225 s plus the jitter before its expiry, as in google-auth (the metadata server returns the same token until
/// 5 min before the end, so a longer margin would cause repeated requests), but never more than half the lifetime.
class TokenCache {
 public:
  static constexpr Duration max_jitter = std::chrono::seconds(60);

  /// `jitter`, at most `max_jitter`: machines that were started together shall not refresh together.
  void store(AccessToken token, Instant requested_at, Duration jitter) {
    if (token.expires_at) {
      const Duration lifetime = std::max(saturating_difference(*token.expires_at, requested_at.wall), Duration::zero());
      const Duration slack = std::min<Duration>(std::chrono::seconds(225) + jitter, lifetime / 2);
      expires_at_ = saturating_sum(requested_at.steady, lifetime);
      stale_at_ = Instant(saturating_sum(*token.expires_at, -slack), saturating_sum(expires_at_, -slack));
    }
    next_refresh_ = SteadyTime::min();
    failures_ = 0;
    token_ = std::move(token);
  }
  TokenUse verdict(Instant now) const {
    if (!is_valid(now)) return TokenUse::fetch;
    const bool is_fresh = !token_->expires_at || (now.wall < stale_at_.wall && now.steady < stale_at_.steady);
    return is_fresh || now.steady < next_refresh_ ? TokenUse::use : TokenUse::use_and_refresh;
  }
  const AccessToken& token() const { return *token_; }
  /// True while the token is valid, stale or not.
  bool is_valid(Instant now) const {
    return token_ && (!token_->expires_at || (now.wall < *token_->expires_at && now.steady < expires_at_));
  }
  /// Drops the token if it is `rejected`.
  void invalidate(const AccessToken& rejected) {
    if (token_ && token_->is_same(rejected)) token_.reset();
  }
  /// A refresh failed: while the old token is valid, the next refresh is tried a second later, then two, and so on up to a minute.
  void refresh_failed(SteadyTime now) {
    constexpr int max_doublings = 6;
    const Duration pause =
        std::min<Duration>(std::chrono::seconds(1) * (1 << std::min(failures_++, max_doublings)), std::chrono::minutes(1));
    next_refresh_ = saturating_sum(now, pause);
  }

 private:
  std::optional<AccessToken> token_;
  SteadyTime expires_at_{};
  Instant stale_at_ = Instant(WallTime(), SteadyTime());
  SteadyTime next_refresh_{};
  int failures_ = 0;
};

}  // namespace rollcall
