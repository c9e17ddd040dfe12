// A cache of tokens that were verified a short while ago, by their digest: ten thousand launchers send the same tokens again and again.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "fleet/rights/access.hpp"

namespace rollcall::fleet {

class VerifiedTokens {
 public:
  static constexpr std::size_t max = 20'000;  ///< the oldest entry is dropped for a new one
  static constexpr Duration kept_for = std::chrono::minutes(1);

  /// Null: not in the cache, or expired.
  const Identity* find(const std::string& digest, SteadyTime now) const {
    const auto known = tokens_.find(digest);
    return known == tokens_.end() || known->second.until <= now ? nullptr : &known->second.identity;
  }
  void keep(const std::string& digest, Identity identity, SteadyTime now) {
    while (!order_.empty() && (order_.size() >= max || order_.front().until <= now)) {
      const auto oldest = tokens_.find(order_.front().digest);
      if (oldest != tokens_.end() && oldest->second.until == order_.front().until) tokens_.erase(oldest);
      order_.pop_front();
    }
    Token& token = tokens_[digest];
    token.identity = std::move(identity);
    token.until = now + kept_for;
    order_.push_back(Place{digest, token.until});
  }

 private:
  class Token {
   public:
    Identity identity;
    SteadyTime until{};
  };
  class Place {
   public:
    std::string digest;
    SteadyTime until{};
  };
  std::unordered_map<std::string, Token> tokens_;
  std::deque<Place> order_;
};

}  // namespace rollcall::fleet
