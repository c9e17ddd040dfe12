#include "resolvers/launchers/slurm_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"

namespace rollcall {
namespace {

// A job that waits again has no nodes: what runs here is left over.
void end_step(const ClusterStatus& job, const std::string& subject, ClusterStatus& step) {
  const std::string text = fmt::format("{} does not run here any more: {}", subject, job.state.text);
  step.state = Condition(MemberState::lost, text);
  step.causes = job.causes;
  for (Member& member : step.members) member.state = step.state;
}

}  // namespace

Result<void> take_job_states(const ClusterStatus& job, const std::string& subject, StepUses uses, ClusterStatus& step) {
  if (step.members.empty()) return {};
  if (job.members.empty()) {
    end_step(job, subject, step);
    return {};
  }
  std::unordered_map<std::string, const Member*> nodes;
  for (const Member& node : job.members) nodes.emplace(to_lower(node.host), &node);
  const auto node_of = [&nodes](const Member& member) {
    const auto found = nodes.find(to_lower(member.host));
    return found == nodes.end() ? nullptr : found->second;
  };
  const bool is_there = std::any_of(step.members.begin(), step.members.end(), node_of);
  if (!is_there) {
    return Failure(Errc::conflict, fmt::format("{} has {} and no node {}, which Slurm's variables here name", subject,
                                               job.members.front().host, step.members.front().host))
        .with_hint("the variables are another job's, or this asks another cluster");
  }
  step.phase = job.phase;
  step.state = job.state;
  step.causes = job.causes;
  step.notices = job.notices;
  for (Member& member : step.members) {
    const Member* const node = node_of(member);
    if (!node) {
      member.state = Condition(MemberState::lost, fmt::format("{} has no node {} any more", subject, member.host));
      continue;
    }
    member.state = node->state;
    member.causes = node->causes;
    // A step may have fewer than its job; in an allocation the variables have this node's number only.
    if (uses == StepUses::whole_nodes && !member.accelerators) member.accelerators = node->accelerators;
  }
  // Maintenance of another node is none of this step's.
  const auto is_concerned = [](const Member& member) {
    return std::any_of(member.causes.begin(), member.causes.end(), [](const Cause& cause) { return cause.code == "MAINT"; });
  };
  if (std::none_of(step.members.begin(), step.members.end(), is_concerned))
    std::erase_if(step.notices, [](const Notice& notice) { return notice.kind == NoticeKind::maintenance; });
  return {};
}

}  // namespace rollcall
