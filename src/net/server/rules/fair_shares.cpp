#include "net/server/rules/fair_shares.hpp"

namespace rollcall {

bool FairShares::enter(const std::string& holder) {
  if (is_full()) return false;
  if (places_ > 0 && !holder.empty()) {
    const auto known = held_.find(holder);
    const std::size_t held = known == held_.end() ? 0 : known->second;
    if (held >= places_ - taken_) return false;
    ++held_[holder];
  }
  ++taken_;
  return true;
}

void FairShares::leave(const std::string& holder) noexcept {
  --taken_;
  const auto known = held_.find(holder);
  if (known != held_.end() && --known->second == 0) held_.erase(known);
}

}  // namespace rollcall
