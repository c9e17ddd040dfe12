// How often a source may be looked at out of turn, and what all of a fleet's followers may ask when they are on their own. Arithmetic; no
// clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/saturating.hpp"
#include "fleet/wire/documents.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// Looks that are made as soon as somebody asks for a new target: a few at once, then one a `pause`, so that a thousand targets that come
/// one by one do not take a list each.
class LookBudget {
 public:
  explicit LookBudget(Duration pause) : pause_(pause) {}
  /// When the next one may be made.
  SteadyTime next() const { return free_from_; }
  void spend(SteadyTime now) { free_from_ = saturating_sum(std::max(free_from_, now - pause_ * (at_once - 1)), pause_); }

 private:
  static constexpr int at_once = 8;
  Duration pause_;
  SteadyTime free_from_ = SteadyTime::min();  // may lie in the past, by as many pauses as looks are left
};

/// For so many followers, when all of them together may ask `looks_a_minute` times: after a minute, spread over as long as all need.
inline Ration ration_for(std::size_t followers, int looks_a_minute) {
  const auto quota = static_cast<std::size_t>(std::max(looks_a_minute, 1));
  const std::size_t seconds = (std::max<std::size_t>(followers, 1) * 60 + quota - 1) / quota;
  Ration ration;
  ration.after = std::chrono::seconds(60);
  ration.spread = ration.poll = std::chrono::seconds(std::max<std::size_t>(seconds, 60));
  return ration;
}

}  // namespace rollcall::fleet
