// The status of an instance group.
#include <algorithm>

#include "base/order.hpp"
#include "base/text.hpp"
#include "resolvers/gce/gce_api.hpp"

namespace rollcall {
namespace {

// PROVISIONING, STAGING, REPAIRING and all states that lead to another one end without help. An unknown state counts as such
// [facts: compute-member-states].
MemberState state_of_machine(const std::string& status) {
  const bool is_stopped = status == "TERMINATED" || status == "STOPPED" || status == "SUSPENDED";
  return is_stopped ? MemberState::stopped : MemberState::waiting;
}

}  // namespace

bool is_running(const InstanceGroupMember& member) noexcept { return member.status.empty() || member.status == "RUNNING"; }

ClusterStatus gce_status(const std::string& job, std::vector<GceTask> running, std::vector<GceInstance> others) {
  ClusterStatus status;
  status.jobs.push_back(job);
  int index = 0;
  const auto add = [&](const GceInstance& one) -> Member& {
    Member& member = status.members.emplace_back(job, index++);
    member.name = printable(one.member.name, 80);
    member.host = member.name;
    member.accelerators = gce_accelerators(one.instance);
    return member;
  };
  for (GceTask& task : running) add(*task.member).address = std::move(task.address);
  std::sort(others.begin(), others.end(), [](const GceInstance& a, const GceInstance& b) {
    const auto order = natural_order(a.member.name, b.member.name);
    return order != 0 ? order < 0 : natural_order(a.member.zone, b.member.zone) < 0;
  });
  for (const GceInstance& other : others) {
    Member& member = add(other);
    member.state = Condition(state_of_machine(other.member.status), printable(other.member.status, 40));
    if (member.state.level == MemberState::waiting) status.phase = ClusterPhase::provisioning;
  }
  if (status.members.empty()) status.state = Condition(MemberState::waiting, "the group has no members");
  return status;
}

}  // namespace rollcall
