// The difference between two statuses, and the status after it.
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "base/order.hpp"
#include "fleet/wire/documents.hpp"

namespace rollcall::fleet {
namespace {

// Numbers of jobs: first those of the list, then others in the order of their members.
class JobOrder {
 public:
  explicit JobOrder(const std::vector<std::string>& listed) {
    for (const std::string& job : listed) (void)of(job);
  }
  std::size_t of(std::string_view job) {
    if (job == last_ && !numbers_.empty()) return number_;
    last_ = job;
    number_ = numbers_.try_emplace(last_, numbers_.size()).first->second;
    return number_;
  }

 private:
  std::map<std::string, std::size_t> numbers_;  // copies, since members are moved meanwhile
  std::string last_;
  std::size_t number_ = 0;
};

// A member of a status. Compared by job and index, independent of the order of the jobs.
class NamedPlace {
 public:
  NamedPlace(std::string_view in_job, int at_index, const Member* who) : job(in_job), index(at_index), member(who) {}
  std::string_view job;
  int index;
  const Member* member;
  friend bool operator<(const NamedPlace& a, const NamedPlace& b) { return std::tie(a.job, a.index) < std::tie(b.job, b.index); }
};

std::vector<NamedPlace> named_places(const std::vector<Member>& members) {
  std::vector<NamedPlace> places;
  places.reserve(members.size());
  for (const Member& member : members) places.emplace_back(member.job, member.index, &member);
  if (!std::is_sorted(places.begin(), places.end())) std::sort(places.begin(), places.end());
  return places;
}

// The place of a member in the order of the status.
class RankedPlace {
 public:
  RankedPlace(std::size_t of_job, int at_index, std::size_t position) : job(of_job), index(at_index), at(position) {}
  std::size_t job;
  int index;
  std::size_t at;
  friend bool operator<(const RankedPlace& a, const RankedPlace& b) { return std::tie(a.job, a.index) < std::tie(b.job, b.index); }
};

std::vector<RankedPlace> ranked_places(const std::vector<Member>& members, JobOrder& jobs) {
  std::vector<RankedPlace> places;
  places.reserve(members.size());
  for (const Member& member : members) places.emplace_back(jobs.of(member.job), member.index, places.size());
  return places;
}

bool contains(const std::vector<NamedPlace>& places, const Member& member) {
  return std::binary_search(places.begin(), places.end(), NamedPlace(member.job, member.index, nullptr));
}

}  // namespace

void set_whole(StatusDelta& delta, const ClusterStatus& now) {
  delta.phase = now.phase;
  delta.state = now.state;
  delta.jobs = now.jobs;
  delta.expected = now.expected;
  delta.job_sizes = now.job_sizes;
  delta.expected_source = now.expected_source;
  delta.causes = now.causes;
  delta.notices = now.notices;
}

std::optional<StatusDelta> status_delta(const ClusterStatus& before, const ClusterStatus& now, std::size_t max) {
  const std::vector<NamedPlace> old_places = named_places(before.members);
  const std::vector<NamedPlace> new_places = named_places(now.members);
  std::vector<const Member*> changed;
  for (const NamedPlace& place : new_places) {
    const auto former = std::lower_bound(old_places.begin(), old_places.end(), place);
    const bool is_new = former == old_places.end() || place < *former;
    if (!is_new && *former->member == *place.member) continue;
    if (changed.size() == max) return std::nullopt;
    changed.push_back(place.member);
  }
  std::sort(changed.begin(), changed.end());  // in the order of the status
  StatusDelta delta;
  for (const Member* const member : changed) delta.changed.push_back(*member);
  std::vector<NamedPlace> gone;
  for (const NamedPlace& place : old_places) {
    if (std::binary_search(new_places.begin(), new_places.end(), place)) continue;
    if (changed.size() + gone.size() == max) return std::nullopt;
    delta.gone.emplace_back(std::string(place.job), place.index);
    gone.push_back(place);
  }
  set_whole(delta, now);

  // No delta if it does not determine the order of the members: jobs that are not listed change places, or a member is there twice.
  JobOrder jobs(now.jobs);
  for (const Member& member : before.members) {
    if (!contains(gone, member)) (void)jobs.of(member.job);
  }
  JobOrder order_of_changed = jobs;
  for (const Member& member : delta.changed) (void)order_of_changed.of(member.job);
  const std::vector<RankedPlace> places = ranked_places(now.members, order_of_changed);
  const bool is_ascending =
      std::adjacent_find(places.begin(), places.end(), [](const RankedPlace& a, const RankedPlace& b) { return !(a < b); }) == places.end();
  const auto is_twice = [](const NamedPlace& a, const NamedPlace& b) { return !(a < b); };
  if (!is_ascending || std::adjacent_find(old_places.begin(), old_places.end(), is_twice) != old_places.end()) return std::nullopt;
  return delta;
}

void apply_delta(ClusterStatus& status, StatusDelta delta) {
  std::vector<NamedPlace> replaced = named_places(delta.changed);
  for (const auto& [job, index] : delta.gone) replaced.emplace_back(job, index, nullptr);
  std::sort(replaced.begin(), replaced.end());
  std::vector<NamedPlace> gone;
  for (const auto& [job, index] : delta.gone) gone.emplace_back(job, index, nullptr);
  std::sort(gone.begin(), gone.end());

  JobOrder jobs(delta.jobs);
  for (const Member& member : status.members) {
    if (!contains(gone, member)) (void)jobs.of(member.job);
  }
  std::vector<Member> all;
  all.reserve(status.members.size() + delta.changed.size());
  std::copy_if(std::make_move_iterator(status.members.begin()), std::make_move_iterator(status.members.end()), std::back_inserter(all),
               [&replaced](const Member& member) { return !contains(replaced, member); });
  std::move(delta.changed.begin(), delta.changed.end(), std::back_inserter(all));

  std::vector<RankedPlace> places = ranked_places(all, jobs);
  if (!std::is_sorted(places.begin(), places.end())) sort_stably(places, std::less<>());
  status.members.clear();
  for (const RankedPlace& place : places) status.members.push_back(std::move(all[place.at]));
  status.phase = delta.phase;
  status.state = std::move(delta.state);
  status.jobs = std::move(delta.jobs);
  status.expected = delta.expected;
  status.job_sizes = std::move(delta.job_sizes);
  status.expected_source = std::move(delta.expected_source);
  status.causes = std::move(delta.causes);
  status.notices = std::move(delta.notices);
}

}  // namespace rollcall::fleet
