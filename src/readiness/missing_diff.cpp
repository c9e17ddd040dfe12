#include "readiness/missing_diff.hpp"

#include <utility>

namespace rollcall {
namespace {

// What is missing at some of the entry's places.
std::string label_of_part(const MissingMember& one, int first, int last) {
  if (first == one.member.index && last == one.last_index()) return one.label();
  MissingMember part;
  part.member = Member(one.member.job, first);
  part.count = last - first + 1;
  return part.label();
}

}  // namespace

MissingDiff::MissingDiff(const std::vector<MissingMember>& before, std::vector<MissingMember>& now, SteadyTime at, OnWaiting on_waiting,
                         OnReady on_ready)
    : before_(before), now_(now), at_(at), on_waiting_(std::move(on_waiting)), on_ready_(std::move(on_ready)) {
  const auto job_before = [&before](std::size_t i) { return std::string_view(before[i].member.job); };
  const auto job_now = [&now](std::size_t i) { return std::string_view(now[i].member.job); };
  JobNumbers jobs;
  jobs.add(before.size(), job_before);
  jobs.add(now.size(), job_now);
  jobs.number();
  old_places_ = places_in_order(before.size(), jobs, job_before,
                                [&before](std::size_t i) { return std::pair(before[i].member.index, before[i].last_index()); });
  new_places_ =
      places_in_order(now.size(), jobs, job_now, [&now](std::size_t i) { return std::pair(now[i].member.index, now[i].last_index()); });
  if (new_places_.size() < now.size()) {  // those that share a place with another entry
    for (MissingMember& one : now) one.since = at;
  }
}

bool MissingDiff::step(std::size_t entries) {
  for (; entries > 0 && next_ < new_places_.size() + old_places_.size(); --entries, ++next_) {
    if (next_ == new_places_.size()) other_ = 0;
    if (next_ < new_places_.size()) {
      look_at_present(new_places_[next_]);
    } else {
      look_at_former(old_places_[next_ - new_places_.size()]);
    }
  }
  return next_ < new_places_.size() + old_places_.size();
}

void MissingDiff::look_at_present(const Place& place) {
  MissingMember& one = now_[place.at];
  one.since = at_;
  parts_of(place, old_places_, other_, [this, &one](int first, int last, const Place* other) {
    const MissingMember* const former = other ? &before_[other->at] : nullptr;
    if (former && former->why == one.why) {
      one.since = std::min(one.since, former->since);
      return;
    }
    has_changed_ = true;
    if (on_waiting_) on_waiting_(label_of_part(one, first, last), one.why);
  });
}

void MissingDiff::look_at_former(const Place& place) {
  const MissingMember& one = before_[place.at];
  parts_of(place, new_places_, other_, [this, &one](int first, int last, const Place* other) {
    if (other) return;
    has_changed_ = true;
    if (on_ready_) on_ready_(label_of_part(one, first, last));
  });
}

}  // namespace rollcall
