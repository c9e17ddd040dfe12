#include "fleet/rules/recent_changes.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_places = 1024;
constexpr std::size_t max_bytes = 64 * 1024;

std::size_t heap_bytes(const std::string& text) noexcept { return text.size() < 16 ? 0 : text.size() + 17; }

bool is_ready(const Member& member) noexcept {
  return member.state.level == MemberState::ready && member.health.level == MemberState::ready;
}

// A run of members of one job.
class JobRun {
 public:
  JobRun(std::string_view of_job, std::size_t from) : job(of_job), first(from), last(from) {}
  std::string_view job;
  std::size_t first;
  std::size_t last;  // one past the end
};

std::vector<JobRun> job_runs(const ClusterStatus& status) {
  std::vector<JobRun> runs;
  for (std::size_t i = 0; i < status.members.size(); ++i) {
    const Member& member = status.members[i];
    if (runs.empty() || runs.back().job != member.job) runs.emplace_back(member.job, i);
    runs.back().last = i + 1;
  }
  return runs;
}

const Member* find_member(const ClusterStatus& status, const std::vector<JobRun>& runs, std::string_view job, int index) {
  for (const JobRun& run : runs) {
    if (run.job != job) continue;
    const auto from = status.members.begin() + static_cast<std::ptrdiff_t>(run.first);
    const auto to = status.members.begin() + static_cast<std::ptrdiff_t>(run.last);
    const auto found = std::lower_bound(from, to, index, [](const Member& member, int wanted) { return member.index < wanted; });
    if (found != to && found->index == index) return &*found;
  }
  return nullptr;
}

}  // namespace

std::size_t memory_of(const Member& member) noexcept {
  return sizeof member + heap_bytes(member.job) + heap_bytes(member.name) + heap_bytes(member.uid) + heap_bytes(member.address) +
         heap_bytes(member.state.text) + heap_bytes(member.health.text);
}

StatusStep::StatusStep(std::vector<ClusterChange> changes) {
  for (ClusterChange& change : changes) {
    if (change.kind == ChangeKind::notice) continue;
    FormerMember& place = former.emplace_back();
    place.job = change.member.job;
    place.index = change.member.index;
    if (change.kind == ChangeKind::member_joined) {
      has_another_membership |= is_ready(change.member);
      continue;
    }
    const bool has_left = change.kind == ChangeKind::member_left;
    Member& before = has_left ? change.member : change.before;
    const bool was_ready = is_ready(before);
    const bool is_ready_now = !has_left && is_ready(change.member);
    has_another_membership |= was_ready != is_ready_now;
    if (was_ready && is_ready_now) has_another_membership |= before.address != change.member.address || before.uid != change.member.uid;
    const bool lacks_address = is_ready_now && change.member.address.empty() && !before.address.empty();
    if (was_ready && (has_left || lacks_address)) forgotten.emplace(place.job, place.index);
    place.member = std::move(before);
  }
}

bool Unconfirmed::holds(std::set<std::pair<std::string, int>> forgotten) {
  const bool is_agreed = is_whole_forgotten_ || std::includes(forgotten_.begin(), forgotten_.end(), forgotten.begin(), forgotten.end());
  if (is_agreed || ++polls_ > max_polls) return false;
  forgotten_ = std::move(forgotten);
  is_whole_forgotten_ = false;
  return true;
}

bool Unconfirmed::holds_whole() {
  if (is_whole_forgotten_ || ++polls_ > max_polls) return false;
  is_whole_forgotten_ = true;
  return true;
}

void RecentChanges::add(std::uint64_t revision, std::vector<FormerMember> former) {
  Entry& entry = entries_.emplace_back();
  entry.revision = revision;
  entry.bytes = sizeof entry;
  for (const FormerMember& place : former)
    entry.bytes += sizeof place + heap_bytes(place.job) + (place.member ? memory_of(*place.member) - sizeof(Member) : 0);
  entry.former = std::move(former);
  places_ += entry.former.size();
  bytes_ += entry.bytes;
  while (!entries_.empty() && (places_ > max_places || bytes_ > max_bytes)) {
    const Entry& oldest = entries_.front();
    known_from_ = oldest.revision;
    places_ -= oldest.former.size();
    bytes_ -= oldest.bytes;
    entries_.pop_front();
  }
}

void RecentChanges::restart(std::uint64_t revision) {
  entries_.clear();
  places_ = bytes_ = 0;
  known_from_ = revision;
}

bool RecentChanges::has(std::uint64_t revision) const noexcept {
  const auto is_it = [revision](const Entry& entry) { return entry.revision == revision; };
  return revision == known_from_ || std::any_of(entries_.begin(), entries_.end(), is_it);
}

std::optional<StatusDelta> RecentChanges::since(std::uint64_t revision, const ClusterStatus& now) const {
  if (revision < known_from_) return std::nullopt;
  // The oldest change since then has the member at that time.
  std::map<std::pair<std::string_view, int>, const std::optional<Member>*> then;
  for (const Entry& entry : entries_) {
    if (entry.revision <= revision) continue;
    for (const FormerMember& place : entry.former) then.try_emplace(std::pair(std::string_view(place.job), place.index), &place.member);
  }
  StatusDelta delta;
  set_whole(delta, now);
  std::vector<const Member*> changed;
  const std::vector<JobRun> runs = then.empty() ? std::vector<JobRun>() : job_runs(now);
  for (const auto& [place, former] : then) {
    const Member* const present = find_member(now, runs, place.first, place.second);
    if (present) {
      if (!*former || **former != *present) changed.push_back(present);
    } else if (*former) {
      delta.gone.emplace_back(std::string(place.first), place.second);
    }
  }
  std::sort(changed.begin(), changed.end());  // in the order of the status
  for (const Member* const member : changed) delta.changed.push_back(*member);
  return delta;
}

}  // namespace rollcall::fleet
