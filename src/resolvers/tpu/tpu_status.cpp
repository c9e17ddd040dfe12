#include "resolvers/tpu/tpu_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "resolvers/tpu/tpu_spec.hpp"

namespace rollcall {
namespace {

std::string with_description(std::string_view word, std::string_view description) {
  if (description.empty()) return printable(word, 64);
  return fmt::format("{} ({})", printable(word, 64), printable(description, 200));
}

MemberState member_state_of(std::string_view state) {
  if (state == "READY") return MemberState::ready;
  if (state == "STOPPED" || state == "STOPPING") return MemberState::stopped;
  if (state == "PREEMPTED" || state == "TERMINATED" || state == "DELETING" || state == "HIDING" || state == "HIDDEN")
    return MemberState::lost;
  return MemberState::waiting;  // in transition, or an unknown state
}

ClusterPhase phase_of(std::string_view state) {
  return state == "CREATING" || state == "STARTING" ? ClusterPhase::provisioning : ClusterPhase::running;
}

}  // namespace

Condition tpu_state_condition(std::string_view state, std::string_view health_description) {
  if (state.empty()) return Condition(MemberState::waiting, "the API gives no state");
  const MemberState level = member_state_of(state);
  return Condition(level, level == MemberState::ready ? std::string(state) : with_description(state, health_description));
}

Condition tpu_health_condition(std::string_view health, std::string_view health_description) {
  if (health.empty() || health == "HEALTHY" || health == "HEALTH_UNSPECIFIED") return Condition(MemberState::ready, std::string(health));
  return Condition(MemberState::waiting, with_description(health, health_description));
}

bool is_recoverable(const TpuNode& node, const OomRules& rules, WallTime now) {
  if (node.state == "TERMINATED" || node.state == "PREEMPTED") return false;
  for (const TpuNode::Symptom& symptom : node.symptoms) {
    const bool counts =
        (symptom.type == "OUT_OF_MEMORY" && rules.runtime_counts) || (symptom.type == "HBM_OUT_OF_MEMORY" && rules.hbm_counts);
    if (!counts) continue;
    // As upstream, without the fraction.
    const std::optional<WallTime> created = parse_rfc3339(symptom.create_time);
    if (created && now - std::chrono::floor<std::chrono::seconds>(*created) < std::chrono::seconds(90)) return false;
  }
  return true;
}

void mark_duplicate_addresses(std::vector<Member>& members) {
  std::map<std::string_view, const Member*> owners;
  for (Member& member : members) {
    if (member.address.empty()) continue;
    const auto [owner, is_new] = owners.try_emplace(member.address, &member);
    if (is_new || member.state.level != MemberState::ready) continue;
    member.state =
        Condition(MemberState::waiting, fmt::format("has the address of {} {} as well", owner->second->job, owner->second->index));
  }
}

ClusterStatus tpu_status(std::string_view name, const TpuNode& node, const std::string& job) {
  ClusterStatus status;
  status.phase = phase_of(node.state);
  const Condition state = tpu_state_condition(node.state, node.health_description);
  const Condition health = tpu_health_condition(node.health, node.health_description);
  const Result<AcceleratorType> type = accelerator_of(name, node);
  status.expected = type ? type->hosts() : 0;
  status.accelerator_type = type ? type->name() : printable(node.accelerator_type, 64);
  const std::string member_name = printable(node.id, 128);
  const std::string member_uid = printable(node.uid, 128);
  const auto add = [&](const std::string& ip, std::optional<std::uint16_t> port, const std::string& refused_ip) {
    Member& member = status.members.emplace_back(job, static_cast<int>(status.members.size()));
    member.name = member_name;
    member.uid = member_uid;
    if (!ip.empty() && port) member.address = Endpoint(ip, port).to_text();
    member.state = state;
    member.health = health;
    if (!refused_ip.empty() && state.level == MemberState::ready) member.state = Condition(MemberState::waiting, refused_ip);
  };
  for (const TpuNode::NetworkEndpoint& endpoint : node.network_endpoints) add(endpoint.ip_address, endpoint.port, endpoint.refused_ip);
  const bool has_own_address = (!node.ip_address.empty() && node.port) || !node.refused_ip.empty();
  if (!node.has_network_endpoints && has_own_address) add(node.ip_address, node.port, node.refused_ip);
  while (static_cast<int>(status.members.size()) < std::max(status.expected, 1)) add({}, std::nullopt, {});
  if (type) {
    const SharedValue<Accelerators> each = machine_accelerators(*type, static_cast<int>(status.members.size()));
    for (Member& member : status.members) member.accelerators = each;
  }
  mark_duplicate_addresses(status.members);
  return status;
}

}  // namespace rollcall
