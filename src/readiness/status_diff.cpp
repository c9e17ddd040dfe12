#include "readiness/status_diff.hpp"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace rollcall {
namespace {

std::string words_of(const Member& member) {
  const Condition& worse = member.state.level >= member.health.level ? member.state : member.health;
  return worse.text.empty() ? std::string(to_string(worse.level)) : worse.text;
}

std::string change_text(const Member& before, const Member& now) {
  std::string text;
  const auto add = [&text](std::string part) { text += (text.empty() ? "" : ", ") + std::move(part); };
  if (before.uid != now.uid) add("recreated");
  if (before.name != now.name) add(fmt::format("now {}", now.name));
  if (before.address != now.address) {
    add(fmt::format("address {} -> {}", before.address.empty() ? "none" : before.address, now.address.empty() ? "none" : now.address));
  }
  if (before.state != now.state || before.health != now.health) add(fmt::format("{} -> {}", words_of(before), words_of(now)));
  return fmt::format("{}: {}", now.label(), text);
}

std::vector<Place> member_places(const ClusterStatus& status, const JobNumbers& jobs) {
  return places_in_order(
      status.members.size(), jobs, [&status](std::size_t i) { return std::string_view(status.members[i].job); },
      [&status](std::size_t i) { return std::pair(status.members[i].index, status.members[i].index); });
}

// The label of a part of the entry's places.
std::string label_of_part(const MissingMember& one, int first, int last) {
  if (first == one.member.index && last == one.last_index()) return one.label();
  MissingMember part;
  part.member = Member(one.member.job, first);
  part.count = last - first + 1;
  return part.label();
}

// Causes are found out about later than states: what becomes known of a member does not change it.
bool has_changed(const Member& before, const Member& now) {
  return before.name != now.name || before.uid != now.uid || before.address != now.address || before.host != now.host ||
         before.state != now.state || before.health != now.health || before.accelerators != now.accelerators || before.part != now.part;
}

}  // namespace

StatusDiff::StatusDiff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at) : before_(before), now_(now), at_(at) {
  JobNumbers jobs;
  for (const ClusterStatus* const status : {&before, &now})
    jobs.add(status->members.size(), [status](std::size_t i) { return std::string_view(status->members[i].job); });
  jobs.number();
  old_places_ = member_places(before, jobs);
  new_places_ = member_places(now, jobs);
}

bool StatusDiff::step(std::size_t members) {
  const std::size_t all = old_places_.size() + new_places_.size();
  for (; members > 0 && next_ < all; --members, ++next_) {
    if (next_ == old_places_.size()) other_ = 0;
    if (next_ < old_places_.size()) {
      compare_former(old_places_[next_]);
    } else {
      compare_present(new_places_[next_ - old_places_.size()]);
    }
  }
  return next_ < all;
}

void StatusDiff::compare_former(const Place& place) {
  parts_of(place, new_places_, other_, [this, &place](int, int, const Place* other) {
    if (other) return;
    ClusterChange& change = left_.emplace_back(ChangeKind::member_left, at_);
    change.member = before_.members[place.at];
    change.text = change.member.label() + " left";
  });
}

void StatusDiff::compare_present(const Place& place) {
  const Member& member = now_.members[place.at];
  parts_of(place, old_places_, other_, [this, &member](int, int, const Place* other) {
    if (!other) {
      ClusterChange& change = joined_.emplace_back(ChangeKind::member_joined, at_);
      change.member = member;
      change.text = fmt::format("{} joined: {}", member.label(), words_of(member));
    } else if (has_changed(before_.members[other->at], member)) {
      ClusterChange& change = changed_.emplace_back(ChangeKind::member_changed, at_);
      change.before = before_.members[other->at];
      change.member = member;
      change.text = change_text(change.before, member);
    }
  });
}

// A union has the notices of all its parts: they are compared as a set.
void StatusDiff::compare_notices() {
  if (now_.notices == before_.notices) return;
  const auto goes_before = [](const Notice* a, const Notice* b) {
    return std::tie(a->kind, a->subject, a->text) < std::tie(b->kind, b->subject, b->text);
  };
  std::set<const Notice*, decltype(goes_before)> known(goes_before);
  for (const Notice& notice : before_.notices) known.insert(&notice);
  for (const Notice& notice : now_.notices) {
    if (known.contains(&notice)) continue;
    ClusterChange& change = left_.emplace_back(ChangeKind::notice, at_);
    change.notice = notice;
    change.text = fmt::format("{}: {} ({})", notice.subject, to_string(notice.kind), notice.text);
  }
}

std::vector<ClusterChange> StatusDiff::take_changes() {
  std::move(joined_.begin(), joined_.end(), std::back_inserter(left_));
  std::move(changed_.begin(), changed_.end(), std::back_inserter(left_));
  compare_notices();
  return std::move(left_);
}

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
  if (new_places_.size() < now.size()) {  // for entries that share a place with another one
    for (MissingMember& one : now) one.since = at;
  }
}

bool MissingDiff::step(std::size_t entries) {
  for (; entries > 0 && next_ < new_places_.size() + old_places_.size(); --entries, ++next_) {
    if (next_ == new_places_.size()) other_ = 0;
    if (next_ < new_places_.size()) {
      compare_present(new_places_[next_]);
    } else {
      compare_former(old_places_[next_ - new_places_.size()]);
    }
  }
  return next_ < new_places_.size() + old_places_.size();
}

void MissingDiff::compare_present(const Place& place) {
  MissingMember& one = now_[place.at];
  one.since = at_;
  parts_of(place, old_places_, other_, [this, &one](int first, int last, const Place* other) {
    const MissingMember* const former = other ? &before_[other->at] : nullptr;
    if (former && former->why == one.why) {
      one.since = std::min(one.since, former->since);
      return;
    }
    has_changed_ = true;
    if (on_waiting_) on_waiting_(MemberRange(one.member.job, first, last), label_of_part(one, first, last), one.why);
  });
}

void MissingDiff::compare_former(const Place& place) {
  const MissingMember& one = before_[place.at];
  parts_of(place, new_places_, other_, [this, &one](int first, int last, const Place* other) {
    if (other) return;
    has_changed_ = true;
    if (on_ready_) on_ready_(MemberRange(one.member.job, first, last), label_of_part(one, first, last));
  });
}

}  // namespace rollcall
