#include "lease/rules/candidacy.hpp"

#include <algorithm>
#include <utility>

#include "base/saturating.hpp"

namespace rollcall::lease {
namespace {

constexpr Duration after_conflict = std::chrono::milliseconds(200);
// An engine that was restored from a backup gives versions twice; for that it stood still. So a record that was not read for long was not
// watched, and before it is taken it is read once more.
constexpr Duration max_age_for_taking = std::chrono::seconds(2);
constexpr Duration min_after_failure = std::chrono::milliseconds(500);

Duration jittered(Duration pause, double uniform) { return with_jitter(pause, 0.75, 0.5, uniform); }

}  // namespace

Candidacy::Candidacy(std::string id, Duration ttl)
    : id_(std::move(id)), ttl_(std::clamp(ttl, min_ttl, max_ttl)), after_failure_(min_after_failure, ttl_ / 5) {}

// At once if no other replica can lead by it, or to make one of which that can be known.
SteadyTime Candidacy::free_at() const {
  const bool is_latest = seen_->epoch != 0 && seen_->epoch >= highest_;
  if (is_latest && (seen_->holder.empty() || seen_->holder == id_)) return since_;
  if (seen_->version.empty()) return since_;
  const Duration ttl = seen_->holder.empty() ? ttl_ : std::clamp(seen_->ttl, min_ttl, max_ttl);
  return saturating_sum(since_, ttl);
}

Candidacy::Step Candidacy::step(SteadyTime now) const {
  if (now < rest_until_) return Step::wait;
  if (!is_known_) return Step::read;
  if (holds(now)) {
    if (is_leaving_) return Step::release;
    return now >= renew_at_ ? Step::renew : Step::wait;
  }
  if (!is_leaving_ && now >= free_at()) {
    if (saturating_difference(now, asked_at_) > max_age_for_taking) return Step::read;
    return seen_->version.empty() ? Step::create : Step::take;
  }
  return now >= read_at_ ? Step::read : Step::wait;
}

SteadyTime Candidacy::due(SteadyTime now) const {
  if (!is_known_) return std::max(rest_until_, now);
  SteadyTime next = is_leaving_ ? read_at_ : std::min(read_at_, free_at());
  if (holds(now)) next = is_leaving_ ? now : renew_at_;
  return std::max(next, rest_until_);
}

LeaseRecord Candidacy::record_for(Step step, WallTime wall) const {
  LeaseRecord next;
  next.ttl = ttl_;
  if (step == Step::create) return next;
  next.epoch = std::max(held_epoch_, seen_->epoch);
  if (step == Step::release) return next;
  next.holder = id_;
  next.url = url_;
  if (step == Step::renew) return next;
  // It grows also if the record was deleted, or an older one was restored.
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(wall.time_since_epoch()).count();
  const std::uint64_t clock = static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 1));
  next.epoch = std::max({seen_->epoch + 1, highest_ + 1, clock});
  return next;
}

void Candidacy::hear(LeaseRecord record, SteadyTime began, SteadyTime now) {
  const bool is_watched = seen_ && saturating_difference(now, asked_at_) < ttl_;
  if (!is_watched || seen_->version != record.version) since_ = now;
  asked_at_ = began;
  highest_ = std::max(highest_, record.epoch);
  seen_ = std::move(record);
  is_known_ = true;
  after_failure_.reset();
}

void Candidacy::on_read(LeaseRecord record, SteadyTime began, SteadyTime now, double uniform) {
  hear(std::move(record), began, now);
  read_at_ = saturating_sum(now, jittered(pause_between_reads, uniform));
  const bool is_own = holds(now) && seen_->holder == id_ && seen_->epoch == held_epoch_;
  if (!is_own) held_epoch_ = 0;
  // It was read since a write had no answer.
  if (is_own) renew_at_ = now;
}

// A taking, or a renewal, that was answered too late is none: a replica that had stopped leads again with a new epoch only.
void Candidacy::on_written(Step step, LeaseRecord record, SteadyTime began, SteadyTime now) {
  const bool held_until_now = holds(now);
  const std::uint64_t epoch = record.epoch;
  hear(std::move(record), began, now);
  since_ = now;
  const bool is_taking = step == Step::take || (step == Step::renew && held_until_now);
  if (!is_taking) {
    held_epoch_ = 0;
    read_at_ = now;
    return;
  }
  until_ = saturating_sum(began, ttl_ - margin);
  renew_at_ = saturating_sum(began, ttl_ / 3);
  held_epoch_ = now < until_ && epoch >= highest_ ? epoch : 0;
}

void Candidacy::on_conflict(SteadyTime now, double uniform) {
  held_epoch_ = 0;
  is_known_ = false;
  rest_until_ = saturating_sum(now, jittered(after_conflict, uniform));
}

void Candidacy::on_failure(SteadyTime now, double uniform) {
  is_known_ = false;
  rest_until_ = saturating_sum(now, jittered(after_failure_.next(), uniform));
}

void Candidacy::serves_at(std::string url) {
  if (url_ == url) return;
  url_ = std::move(url);
  renew_at_ = SteadyTime::min();
}

// Another replica has taken the lease since, even if the record does not show it (any more).
void Candidacy::saw_epoch(std::uint64_t epoch, SteadyTime now) {
  if (epoch <= highest_ || epoch > max_epoch) return;
  highest_ = epoch;
  since_ = now;
  if (held_epoch_ == 0) return;
  held_epoch_ = 0;
  is_known_ = false;
}

}  // namespace rollcall::lease
