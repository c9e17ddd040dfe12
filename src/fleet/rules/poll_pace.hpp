// How often a source may be looked at out of turn, and what all of a fleet's followers may ask when they are on their own. Arithmetic; no
// clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/saturating.hpp"
#include "fleet/wire/documents.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// Looks that are made as soon as somebody asks for a new target: a few at once, then one a `pause`, so that a thousand targets that come
/// one by one do not take a list each.
class PollBudget {
 public:
  explicit PollBudget(Duration pause) : pause_(pause) {}
  /// When the next one may be made.
  SteadyTime next() const { return free_from_; }
  void spend(SteadyTime now) { free_from_ = saturating_sum(std::max(free_from_, now - pause_ * (at_once - 1)), pause_); }

 private:
  static constexpr int at_once = 8;
  Duration pause_;
  SteadyTime free_from_ = SteadyTime::min();  // may lie in the past, by as many pauses as looks are left
};

/// For what a look is made, the most pressing first.
enum class PollRank : std::uint8_t {
  there,   ///< what is there, or was, and has listeners
  unseen,  ///< what was not looked at since it was named
  rest,    ///< what does not exist, had no answer so far, failed for good, or has no listeners
};
inline constexpr std::size_t poll_ranks = 3;

/// Requests that one round makes: as estimated when it begins, and as counted when it ends.
class Spending {
 public:
  Spending(SteadyTime at, std::size_t how_many, std::size_t of_others) : when(at), requests(how_many), others(of_others) {}
  SteadyTime when;
  std::size_t requests;
  std::size_t others;  ///< of these for what is new, or of the rest
};

/// What the sources of one project ask of one API together: its quota is one for all its zones. In no minute are there more requests,
/// whatever is named. What is there keeps its share of them: of the others each stands in line, what is new before what does not exist;
/// they are asked for evenly, after a burst that comes back within ten minutes.
class ProjectQuota {
 public:
  ProjectQuota(int polls_per_minute, Duration pause_of_new) : new_targets(pause_of_new), polls_per_minute_(std::max(polls_per_minute, 1)) {}
  PollBudget new_targets;

  int polls_per_minute() const { return polls_per_minute_; }
  /// A round of a source takes so many requests for what is there, and so many for the rest. `of_fresh`: of the first, for what was looked
  /// at for the first time within a minute, and can wait for the next look while others are still unseen.
  void note(const std::string& source, std::size_t requests, std::size_t of_rest = 0, std::size_t of_fresh = 0);
  /// It has ended.
  void forget(const std::string& source);
  /// Between two rounds of each source at least, so that all of them together stay within the quota, and leave the rest a quarter of it.
  Duration pause() const;

  /// When a source may make so many requests: now, or later. It stands in line from now on, until it spends them or steps out.
  SteadyTime line_up(const std::string& source, PollRank rank, std::size_t requests, SteadyTime now);
  void step_out(const std::string& source, PollRank rank) { line_.erase({source, rank}); }
  /// What of this minute is left for looks of this rank.
  std::size_t left(PollRank rank, SteadyTime now);
  /// `others`: of the requests for what is not there.
  std::shared_ptr<Spending> spend(std::size_t requests, std::size_t others, SteadyTime now);
  /// It took so many.
  void correct(Spending& spending, std::size_t requests);
  /// The most that one round should take, so that others have their turn.
  std::size_t share_of_round() const { return std::max<std::size_t>(static_cast<std::size_t>(polls_per_minute_) / 4, 1); }
  /// Nothing was asked within a minute.
  bool is_idle(SteadyTime now);

 private:
  class Noted {
   public:
    std::size_t there = 0;
    std::size_t rest = 0;
    std::size_t fresh = 0;
  };
  class Waiting {
   public:
    SteadyTime since{};
    std::size_t requests = 0;
  };
  std::size_t limit(PollRank rank) const;
  std::size_t used(SteadyTime now);
  Duration time_of(std::size_t others) const;
  void regain(SteadyTime now);

  int polls_per_minute_;
  std::map<std::string, Noted> requests_;  // by source
  std::map<std::pair<std::string, PollRank>, Waiting> line_;
  std::deque<std::shared_ptr<Spending>> lately_;  // of the last minute
  // Of the others.
  SteadyTime even_from_ = SteadyTime::min();  // when the next one is due, where they are asked for evenly
  double burst_ = 0;  // how many may come before that
  std::optional<SteadyTime> burst_at_;  // as of when; none: it was never used
};

/// For so many followers, when all of them together may ask `polls_per_minute` times: after a minute, spread over as long as all need.
inline FallbackSchedule fallback_schedule_for(std::size_t followers, int polls_per_minute) {
  const auto quota = static_cast<std::size_t>(std::max(polls_per_minute, 1));
  const std::size_t seconds = (std::max<std::size_t>(followers, 1) * 60 + quota - 1) / quota;
  FallbackSchedule fallback_schedule;
  fallback_schedule.after = std::chrono::seconds(60);
  fallback_schedule.spread = fallback_schedule.poll = std::chrono::seconds(std::max<std::size_t>(seconds, 60));
  return fallback_schedule;
}

/// Who would ask for themselves by one quota.
class DirectClients {
 public:
  std::size_t followers = 0;
  int polls_per_minute = 0;
};

/// One ration for all: the one by which the narrowest quota holds. `polls_per_minute`: of those who ask by none of these.
inline FallbackSchedule fallback_schedule_for(const std::map<std::string, DirectClients>& by_quota, int polls_per_minute) {
  FallbackSchedule fallback_schedule = fallback_schedule_for(0, polls_per_minute);
  for (const auto& [key, clients] : by_quota) {
    const FallbackSchedule own = fallback_schedule_for(clients.followers, clients.polls_per_minute);
    if (own.spread > fallback_schedule.spread) fallback_schedule = own;
  }
  return fallback_schedule;
}

}  // namespace rollcall::fleet
