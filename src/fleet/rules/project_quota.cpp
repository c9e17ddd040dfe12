#include "fleet/rules/project_quota.hpp"

#include <tuple>

namespace rollcall::fleet {
namespace {

constexpr Duration a_minute = std::chrono::seconds(61);  // a request takes some time to arrive

}  // namespace

void ProjectQuota::note(const std::string& source, std::size_t requests, std::size_t of_rest, std::size_t of_fresh) {
  if (requests == 0 && of_rest == 0) {
    requests_.erase(source);
    return;
  }
  Noted& noted = requests_[source];
  noted.there = requests;
  noted.rest = of_rest;
  noted.fresh = of_fresh;
}

void ProjectQuota::forget(const std::string& source) {
  requests_.erase(source);
  for (const PollRank rank : {PollRank::there, PollRank::unseen, PollRank::rest}) step_out(source, rank);
}

Duration ProjectQuota::pause() const {
  std::size_t there = 0;
  std::size_t rest = 0;
  for (const auto& [source, noted] : requests_) {
    there += noted.there;
    rest += noted.rest;
  }
  const auto quota = static_cast<double>(polls_per_minute_);
  constexpr double rounds_a_minute = 6;  // of targets that do not exist
  const double for_rest = std::min(quota / 4, rounds_a_minute * static_cast<double>(rest));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(60.0 * static_cast<double>(there) / (quota - for_rest)));
}

// Existing targets may take all of it. Other targets leave what the existing ones take in a minute at their slowest pace, and a little
// more; a quarter is reserved for the others. They leave less for targets just seen: many new targets shall be polled at once.
std::size_t ProjectQuota::limit(PollRank rank) const {
  const auto quota = static_cast<std::size_t>(polls_per_minute_);
  if (rank == PollRank::there) return quota;
  std::size_t settled = 0;
  std::size_t fresh = 0;
  for (const auto& [source, noted] : requests_) {
    const std::size_t of_fresh = std::min(noted.fresh, noted.there);
    settled += noted.there - of_fresh;
    fresh += of_fresh;
  }
  const auto in_a_minute = [](std::size_t requests) { return requests * 15 / 2; };
  const std::size_t of_fresh = std::min(std::max<std::size_t>(quota / 6, 8), in_a_minute(fresh));
  const std::size_t reserve = std::min(quota * 3 / 4, in_a_minute(settled) + of_fresh);
  return std::max<std::size_t>(quota - reserve, 1);
}

std::size_t ProjectQuota::used(SteadyTime now) {
  while (!lately_.empty() && saturating_difference(now, lately_.front()->when) >= a_minute) lately_.pop_front();
  std::size_t sum = 0;
  for (const std::shared_ptr<Spending>& one : lately_) sum += one->requests;
  return sum;
}

std::size_t ProjectQuota::left(PollRank rank, SteadyTime now) {
  const std::size_t max = limit(rank);
  return max - std::min(max, used(now));
}

SteadyTime ProjectQuota::line_up(const std::string& source, PollRank rank, std::size_t requests, SteadyTime now) {
  const auto [own, is_new] = line_.try_emplace({source, rank});
  if (is_new) own->second.since = now;
  own->second.requests = requests;
  std::size_t needed = requests;
  std::size_t ahead = 0;
  for (const auto& [who, waiting] : line_) {
    const bool is_ahead = std::tie(who.second, waiting.since, who.first) < std::tie(rank, own->second.since, source);
    if (is_ahead) ahead += waiting.requests;
  }
  const std::size_t max = limit(rank);
  needed = std::min(needed + ahead, max);  // a poll that needs more than the limit waits until there are no other requests
  std::size_t taken = used(now);
  SteadyTime when = now;
  for (auto one = lately_.begin(); one != lately_.end() && taken + needed > max; ++one) {
    taken -= (*one)->requests;
    when = saturating_sum((*one)->when, a_minute);
  }
  if (rank == PollRank::there) return when;
  regain(now);
  return burst_ >= static_cast<double>(needed) ? when : std::max(when, saturating_sum(even_from_, time_of(ahead)));
}

Duration ProjectQuota::time_of(std::size_t others) const {
  const double minutes = static_cast<double>(others) / static_cast<double>(limit(PollRank::rest));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(60.0 * minutes));
}

void ProjectQuota::regain(SteadyTime now) {
  constexpr double whole_after = 600;  // seconds
  const auto max = static_cast<double>(limit(PollRank::rest));
  const double seconds = burst_at_ ? std::chrono::duration<double>(saturating_difference(now, *burst_at_)).count() : whole_after;
  burst_ = std::min(max, burst_ + max * seconds / whole_after);
  burst_at_ = now;
}

std::shared_ptr<Spending> ProjectQuota::spend(std::size_t requests, std::size_t others, SteadyTime now) {
  if (others > 0) {
    regain(now);
    if (even_from_ > now) {
      burst_ = std::max(0.0, burst_ - static_cast<double>(others));
    } else {
      even_from_ = saturating_sum(now, time_of(others));
    }
  }
  return lately_.emplace_back(std::make_shared<Spending>(now, requests, others));
}

void ProjectQuota::correct(Spending& spending, std::size_t requests) {
  if (requests < spending.requests) burst_ += static_cast<double>(std::min(spending.others, spending.requests - requests));
  spending.requests = requests;
}

bool ProjectQuota::is_idle(SteadyTime now) { return used(now) == 0; }

}  // namespace rollcall::fleet
