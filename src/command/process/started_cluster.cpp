#include "command/process/started_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rollcall::command {
namespace {

bool has_gone(const Member& member) {
  return !has_ended_well(member) && (member.state.level == MemberState::lost || member.state.level == MemberState::stopped);
}

// A pod that is being deleted may run on for its grace period; its place is another's by then.
bool is_taken_away(const Member& member) {
  return member.state.level != MemberState::ready &&
         std::any_of(member.causes.begin(), member.causes.end(), [](const Cause& cause) { return cause.layer == CauseLayer::leaving; });
}

bool is_recreated(const Member& before, const Member& now) { return !before.uid.empty() && !now.uid.empty() && before.uid != now.uid; }

// Peers that look up the new address find the member; peers that already have the old address do not.
bool is_elsewhere(const Member& before, const Member& now) {
  return !before.address.empty() && !now.address.empty() && before.address != now.address;
}

// `words`: a description of the change, may be empty.
std::optional<Loss> loss_of(const Member& before, const Member& now, const std::string& words = {}) {
  const auto reported = [&words, &now](const std::string& why) { return words.empty() ? fmt::format("{}: {}", now.label(), why) : words; };
  if (has_ended_well(now)) return std::nullopt;
  if (has_gone(now) || is_taken_away(now))
    return Loss(reported(now.state.text.empty() ? std::string(to_string(now.state.level)) : now.state.text));
  if (is_recreated(before, now)) return Loss(reported("recreated"), true);
  if (is_elsewhere(before, now)) return Loss(reported("was at " + before.address), true);
  return std::nullopt;
}

}  // namespace

StartedCluster::StartedCluster(const ClusterStatus& status) {
  for (const Member& member : status.members) members_.try_emplace({member.job, member.index}, member);
}

const Member* StartedCluster::find(const Member& member) const {
  const auto found = members_.find({member.job, member.index});
  return found == members_.end() ? nullptr : &found->second;
}

std::optional<Loss> StartedCluster::loss_by(const ClusterChange& change) const {
  const Member* const before = find(change.member);
  if (!before) return std::nullopt;
  switch (change.kind) {
    case ChangeKind::member_left: return has_ended_well(change.member) ? std::nullopt : std::optional(Loss(change.text));
    case ChangeKind::member_joined: return loss_of(*before, change.member);
    case ChangeKind::member_changed: return loss_of(*before, change.member, change.text);
    default: return std::nullopt;
  }
}

std::optional<Loss> StartedCluster::loss_among(const ClusterStatus& now, Trust program) const {
  std::map<std::pair<std::string_view, int>, const Member*> there;
  for (const Member& member : now.members) there.try_emplace({member.job, member.index}, &member);
  for (const auto& [place, before] : members_) {
    const auto found = there.find({place.first, place.second});
    if (found == there.end()) return Loss(before.label() + " left");
    const Member& member = *found->second;
    if (std::optional<Loss> loss = loss_of(before, member)) return loss;
    const bool was_ready = before.state.level == MemberState::ready;
    if (program == Trust::failed && was_ready && member.state.level != MemberState::ready && !has_ended_well(member))
      return Loss(fmt::format("{}: {}", member.label(), member.state.text));
  }
  return std::nullopt;
}

std::optional<Loss> StartedCluster::loss_in(const ClusterStatus& now) const { return loss_among(now, Trust::running); }
std::optional<Loss> StartedCluster::loss_behind_failure(const ClusterStatus& now) const { return loss_among(now, Trust::failed); }

bool StartedCluster::is_grown_by(const ClusterChange& change) const {
  if (change.kind != ChangeKind::member_joined && change.kind != ChangeKind::member_changed) return false;
  const Member& member = change.member;
  return member.state.level == MemberState::ready && member.health.level == MemberState::ready && !member.address.empty() && !find(member);
}

Result<ClusterSpec> renumber(const ClusterSpec& spec, std::optional<LaunchedTask>& task) {
  ClusterSpec numbered;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    std::vector<std::string> addresses;
    const bool is_own_job = task && task->job == job.name;
    if (is_own_job && !job.tasks.contains(task->index)) {
      return Failure(Errc::not_ready, fmt::format("{} {}, which this is, is not among the members that are ready", job.name, task->index))
          .with_hint("say by --until what makes it ready");
    }
    std::optional<int> own;
    for (const auto& [index, address] : job.tasks) {
      if (is_own_job && index == task->index) own = static_cast<int>(addresses.size());
      addresses.push_back(address);
    }
    if (own) task->index = *own;
    numbered.set_job(job.name, std::move(addresses));
  }
  return numbered;
}

}  // namespace rollcall::command
