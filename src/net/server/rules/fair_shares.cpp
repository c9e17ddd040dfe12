#include "net/server/rules/fair_shares.hpp"

namespace rollcall {

bool FairShares::enter(const std::string& holder, std::size_t places) {
  const std::size_t unbounded = static_cast<std::size_t>(-1);
  const std::size_t free = places_ > 0 ? places_ - taken_ : unbounded;
  if (places > free) return false;
  if (places_ > 0 && !holder.empty()) {
    const auto known = held_.find(holder);
    const std::size_t held = known == held_.end() ? 0 : known->second;
    if (held + places > free - places + 1) return false;  // as if places were taken one after the other
    held_[holder] += places;
  }
  taken_ += places;
  return true;
}

void FairShares::leave(const std::string& holder, std::size_t places) noexcept {
  taken_ -= places;
  const auto known = held_.find(holder);
  if (known == held_.end()) return;
  known->second -= places;
  if (known->second == 0) held_.erase(known);
}

}  // namespace rollcall
