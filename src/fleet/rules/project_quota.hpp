// How often a source may be polled out of turn, and how often all followers of a fleet may ask the cloud themselves. Arithmetic; no
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

/// Immediate polls for new targets: a few at once, then one a `pause`, so that a thousand targets that come one by one do not need a
/// list each.
class PollBudget {
 public:
  explicit PollBudget(Duration pause) : pause_(pause) {}
  /// When the next one may be made.
  SteadyTime next() const { return free_from_; }
  void spend(SteadyTime now) { free_from_ = saturating_sum(std::max(free_from_, now - pause_ * (at_once - 1)), pause_); }

 private:
  static constexpr int at_once = 8;
  Duration pause_;
  SteadyTime free_from_ = SteadyTime::min();  // may lie in the past, by one pause for each poll that is left
};

/// The reason for a poll, the most urgent first.
enum class PollRank : std::uint8_t {
  there,   ///< the target exists or did, and has listeners
  unseen,  ///< the target was not polled since it was named
  rest,    ///< the target does not exist, had no answer so far, failed for good, or has no listeners
};
inline constexpr std::size_t poll_ranks = 3;

/// Requests of one round: an estimate when it begins, a count when it ends.
class Spending {
 public:
  Spending(SteadyTime at, std::size_t how_many, std::size_t of_others) : when(at), requests(how_many), others(of_others) {}
  SteadyTime when;
  std::size_t requests;
  std::size_t others;  ///< those of new targets, and of the rest
};

/// The requests of all sources of one project to one API, which has one quota for all zones. No minute has more requests, with any number
/// of targets. Existing targets keep their share. Each of the others waits in line, new targets before those that do not exist; they are
/// polled at even intervals, after a burst whose allowance returns within ten minutes.
class ProjectQuota {
 public:
  ProjectQuota(int polls_per_minute, Duration pause_of_new) : new_targets(pause_of_new), polls_per_minute_(std::max(polls_per_minute, 1)) {}
  PollBudget new_targets;

  int polls_per_minute() const { return polls_per_minute_; }
  /// Notes what a round of the source takes: `requests` for existing targets, `of_rest` for others. `of_fresh`: the part of `requests` for
  /// targets that were polled first within the last minute, and can wait for their next poll while others are still new.
  void note(const std::string& source, std::size_t requests, std::size_t of_rest = 0, std::size_t of_fresh = 0);
  /// The source has ended.
  void forget(const std::string& source);
  /// The shortest time between two rounds of each source, so that all of them stay within the quota and leave a quarter to the rest.
  Duration pause() const;

  /// When a source may make so many requests: now, or later. It keeps its place in the line until it spends them or steps out.
  SteadyTime line_up(const std::string& source, PollRank rank, std::size_t requests, SteadyTime now);
  void step_out(const std::string& source, PollRank rank) { line_.erase({source, rank}); }
  /// What is left in this minute for polls of this rank.
  std::size_t left(PollRank rank, SteadyTime now);
  /// `others`: the part of the requests for targets that do not exist.
  std::shared_ptr<Spending> spend(std::size_t requests, std::size_t others, SteadyTime now);
  /// Sets the number of requests that were made.
  void correct(Spending& spending, std::size_t requests);
  /// The most that one round should take, so that other sources have their turn.
  std::size_t share_of_round() const { return std::max<std::size_t>(static_cast<std::size_t>(polls_per_minute_) / 4, 1); }
  /// True if there was no request within a minute.
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
  // Of targets that do not exist.
  SteadyTime even_from_ = SteadyTime::min();  // when the next poll is due at even intervals
  double burst_ = 0;  // how many may be made before that
  std::optional<SteadyTime> burst_at_;  // the time of burst_; none: it was never used
};

/// The schedule for so many followers that may ask `polls_per_minute` times together: after a minute, spread over the time that all need.
inline FallbackSchedule fallback_schedule_for(std::size_t followers, int polls_per_minute) {
  const auto quota = static_cast<std::size_t>(std::max(polls_per_minute, 1));
  const std::size_t seconds = (std::max<std::size_t>(followers, 1) * 60 + quota - 1) / quota;
  FallbackSchedule fallback_schedule;
  fallback_schedule.after = std::chrono::seconds(60);
  fallback_schedule.spread = fallback_schedule.poll = std::chrono::seconds(std::max<std::size_t>(seconds, 60));
  return fallback_schedule;
}

/// Clients that would use one quota if they asked the cloud directly.
class DirectClients {
 public:
  std::size_t followers = 0;
  int polls_per_minute = 0;
};

/// One schedule for all clients, by the quota that allows the least. `polls_per_minute`: of the clients that use none of these quotas.
inline FallbackSchedule fallback_schedule_for(const std::map<std::string, DirectClients>& by_quota, int polls_per_minute) {
  FallbackSchedule fallback_schedule = fallback_schedule_for(0, polls_per_minute);
  for (const auto& [key, clients] : by_quota) {
    const FallbackSchedule own = fallback_schedule_for(clients.followers, clients.polls_per_minute);
    if (own.spread > fallback_schedule.spread) fallback_schedule = own;
  }
  return fallback_schedule;
}

}  // namespace rollcall::fleet
