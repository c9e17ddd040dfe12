// How often a source may be looked at out of turn, and what all of a fleet's followers may ask when they are on their own. Arithmetic; no
// clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

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

/// What the sources of one project ask of one API together: its quota is one for all its zones.
class ProjectQuota {
 public:
  ProjectQuota(int looks_a_minute, Duration pause_of_new) : new_targets(pause_of_new), looks_a_minute_(std::max(looks_a_minute, 1)) {}
  LookBudget new_targets;

  int looks_a_minute() const { return looks_a_minute_; }
  /// The last round of a source took so many requests; none: it has ended.
  void note(const std::string& source, std::size_t requests) {
    if (requests == 0) {
      requests_.erase(source);
    } else {
      requests_.insert_or_assign(source, requests);
    }
  }
  /// Between two rounds of each source at least, so that all of them together stay within the quota.
  Duration pause() const {
    std::size_t sum = 0;
    for (const auto& [source, requests] : requests_) sum += requests;
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(60.0 * static_cast<double>(sum) / looks_a_minute_));
  }

 private:
  int looks_a_minute_;
  std::map<std::string, std::size_t> requests_;  // by source
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

/// Who would ask for themselves by one quota.
class LoneAskers {
 public:
  std::size_t followers = 0;
  int looks_a_minute = 0;
};

/// One ration for all: the one by which the narrowest quota holds. `looks_a_minute`: of those who ask by none of these.
inline Ration ration_for(const std::map<std::string, LoneAskers>& by_quota, int looks_a_minute) {
  Ration ration = ration_for(0, looks_a_minute);
  for (const auto& [key, askers] : by_quota) {
    const Ration own = ration_for(askers.followers, askers.looks_a_minute);
    if (own.spread > ration.spread) ration = own;
  }
  return ration;
}

}  // namespace rollcall::fleet
