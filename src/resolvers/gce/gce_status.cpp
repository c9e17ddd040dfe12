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

ClusterStatus gce_status(const std::string& job, std::vector<std::string> addresses, std::vector<InstanceGroupMember> others) {
  ClusterStatus status;
  status.jobs.push_back(job);
  int index = 0;
  for (std::string& address : addresses) {
    Member& member = status.members.emplace_back(job, index++);
    member.address = std::move(address);
  }
  std::sort(others.begin(), others.end(), [](const InstanceGroupMember& a, const InstanceGroupMember& b) {
    const auto order = natural_order(a.name, b.name);
    return order != 0 ? order < 0 : natural_order(a.zone, b.zone) < 0;
  });
  for (const InstanceGroupMember& other : others) {
    Member& member = status.members.emplace_back(job, index++);
    member.name = printable(other.name, 80);
    member.state = Condition(state_of_machine(other.status), printable(other.status, 40));
    if (member.state.level == MemberState::waiting) status.phase = ClusterPhase::provisioning;
  }
  if (status.members.empty()) status.state = Condition(MemberState::waiting, "the group has no members");
  return status;
}

}  // namespace rollcall
