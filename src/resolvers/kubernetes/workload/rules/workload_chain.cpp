#include "resolvers/kubernetes/workload/rules/workload_chain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

std::string size_text(const WorkloadRole& role, bool is_alone, bool has_parts) {
  std::string text = fmt::format("{} × {}", role.parts, role.members);
  if (!has_parts && role.parts == 1) text = std::to_string(role.members);
  if (!has_parts && role.members == 1) text = std::to_string(role.parts);
  if (!is_alone && role.job != "worker") text += " " + printable(role.job, 64);
  return text;
}

bool has_parts(const Workload& workload) {
  return workload.type->kind == WorkloadKind::job_set || workload.type->kind == WorkloadKind::leader_worker_set;
}

// The conditions that say how it ended. Kubeflow's kinds leave older ones behind as False.
const WorkloadCondition* end_of(const Workload& workload, bool& has_succeeded) {
  constexpr std::pair<std::string_view, bool> ends[] = {{"Failed", false},   {"Complete", true},       {"Completed", true},
                                                        {"Succeeded", true}, {"FailureTarget", false}, {"SuccessCriteriaMet", true}};
  // Deployments and LeaderWorkerSets do not end; a condition of that name would be another one's.
  const WorkloadKind kind = workload.type->kind;
  if (kind == WorkloadKind::deployment || kind == WorkloadKind::replica_set || kind == WorkloadKind::stateful_set ||
      kind == WorkloadKind::leader_worker_set || kind == WorkloadKind::ray_cluster || kind == WorkloadKind::pod_group)
    return nullptr;
  for (const auto& [type, is_success] : ends) {
    if (!workload.is_true(type)) continue;
    has_succeeded = is_success;
    return workload.condition(type);
  }
  return nullptr;
}

std::string reason_text(const WorkloadCondition& condition) {
  std::string text = printable(condition.reason, 128);
  if (!condition.message.empty()) text += (text.empty() ? "" : ": ") + printable(condition.message, 600);
  return text;
}

WorkloadState held(const Workload& workload, CauseLayer layer, std::string code, std::string words, MemberState level) {
  WorkloadState state;
  state.condition = Condition(level, fmt::format("{} {}", workload.title(), words));
  Cause cause(layer, std::move(code), std::move(words), workload.title());
  cause.is_final = level == MemberState::lost;
  state.cause = std::move(cause);
  return state;
}

std::optional<WorkloadState> state_of_level(const Workload& workload) {
  bool has_succeeded = false;
  if (const WorkloadCondition* const end = end_of(workload, has_succeeded)) {
    const std::string why = reason_text(*end);
    WorkloadState state = held(workload, CauseLayer::workload, printable(end->reason.empty() ? end->type : end->reason, 128),
                               fmt::format("{}{}{}", has_succeeded ? "has ended with success" : "has failed", why.empty() ? "" : ": ", why),
                               MemberState::lost);
    state.cause->since = end->since;
    return state;
  }
  if (workload.is_leaving) return held(workload, CauseLayer::workload, "Deleted", "is being deleted", MemberState::lost);
  if (!workload.managed_by.empty()) {
    return held(workload, CauseLayer::workload, "managedBy",
                fmt::format("is run by {}: its pods are in another cluster", quoted(workload.managed_by, 128)), MemberState::lost);
  }
  // A batch goes on without them.
  if (!workload.given_up.empty() && workload.roles.front().numbers == RoleNumbers::places) {
    const bool is_one = workload.given_up.find_first_of(",-") == std::string::npos;
    return held(workload, CauseLayer::workload, std::string(given_up_code),
                is_one ? fmt::format("does not try index {} again, which has failed", printable(workload.given_up, 80))
                       : fmt::format("does not try indices {} again, which have failed", printable(workload.given_up, 80)),
                MemberState::lost);
  }
  if (!workload.is_suspended) return std::nullopt;
  const WorkloadCondition* const suspended = workload.condition("Suspended");
  WorkloadState state =
      workload.queue.empty()
          ? held(workload, CauseLayer::workload, "Suspended", "is suspended by a person: spec.suspend", MemberState::waiting)
          : held(workload, CauseLayer::queue, "Suspended", fmt::format("is suspended: queue {}", printable(workload.queue, 128)),
                 MemberState::waiting);
  if (suspended) state.cause->since = suspended->since;
  state.is_queued = !workload.queue.empty();
  return state;
}

bool is_there(const Member& member) { return member.state.level == MemberState::ready && member.health.level == MemberState::ready; }

// How many members of a job are ready, and the first that is not.
class JobCount {
 public:
  JobCount(const ClusterStatus& status, std::string_view job) {
    for (const Member& member : status.members) {
      if (member.job != job) continue;
      ++there;
      if (is_there(member)) {
        ++ready;
      } else if (!behind) {
        behind = &member;
      }
    }
  }
  int there = 0;
  int ready = 0;
  const Member* behind = nullptr;
};

Cause held_by(const Workload& workload, std::string code, std::string words) {
  return Cause(CauseLayer::order, std::move(code), std::move(words), workload.title());
}

// The stages that come before the role and are not over.
std::optional<Cause> cause_of_stage(const Workload& workload, const WorkloadRole& role, const ClusterStatus& status, int ready) {
  const std::string code = workload.is_ordered ? "InOrder" : "dependsOn";
  const std::string comes = fmt::format("then {} comes", printable(role.job, 64));
  std::vector<std::string> running;
  for (const std::string& name : role.after_end_of) {
    const WorkloadRole* const before = workload.role(name);
    if (before && !before->has_ended) running.push_back(printable(name, 64));
  }
  if (!running.empty()) {
    const std::string_view has = running.size() == 1 ? "has" : "have";
    return held_by(workload, code, fmt::format("{} {} to end first, {}", fmt::join(running, " and "), has, comes));
  }
  std::optional<Cause> cause;
  for (const std::string& name : role.after) {
    const WorkloadRole* const before = workload.role(name);
    if (!before) continue;
    const JobCount first(status, before->job);
    const bool is_over = before->has_ended || first.ready >= before->size() || ready >= role.size();
    if (is_over && role.after_any) return std::nullopt;
    if (is_over || cause) continue;
    std::string words = fmt::format("{} has to be ready first ({} of {}), {}", printable(name, 64), first.ready, before->size(), comes);
    if (first.behind) words += fmt::format("; {}", first.behind->label());
    cause = held_by(workload, code, std::move(words));
  }
  return cause;
}

std::optional<Cause> cause_of_role(const Workload& workload, const WorkloadRole& role, const ClusterStatus& status) {
  const JobCount own(status, role.job);
  if (own.there >= role.size() && workload.type->kind != WorkloadKind::ray_cluster) return std::nullopt;
  if (!role.after.empty() || !role.after_end_of.empty()) return cause_of_stage(workload, role, status, own.ready);
  if (workload.type->kind == WorkloadKind::stateful_set && workload.is_ordered && own.behind) {
    return held_by(workload, "OrderedReady",
                   fmt::format("pod {} has to be ready before the next is made", printable(own.behind->name, 300)));
  }
  if (!workload.waits_for_leader) return std::nullopt;
  for (const Member& member : status.members) {
    if (member.job == role.job && role.members > 0 && member.index % role.members == 0 && !is_there(member))
      return held_by(workload, "LeaderReady",
                     fmt::format("leader {} has to be ready before its workers are made", printable(member.name, 300)));
  }
  return std::nullopt;
}

// Why pods are missing, in the controller's words: RayClusters, Deployments and ReplicaSets say ReplicaFailure, Kubeflow's jobs Restarting.
std::optional<Cause> cause_of_missing(const Workload& workload, const ClusterStatus& status) {
  const bool is_complete = std::all_of(workload.roles.begin(), workload.roles.end(), [&status](const WorkloadRole& role) {
    return !role.is_member || JobCount(status, role.job).there >= role.size();
  });
  if (is_complete) return std::nullopt;
  for (const auto& [type, layer] : {std::pair("ReplicaFailure", CauseLayer::creation), std::pair("Restarting", CauseLayer::workload)}) {
    const WorkloadCondition* const one = workload.is_true(type) ? workload.condition(type) : nullptr;
    if (!one) continue;
    Cause cause(layer, printable(one->reason.empty() ? one->type : one->reason, 128), printable(one->message, 600), workload.title());
    cause.since = one->since;
    return cause;
  }
  return std::nullopt;
}

}  // namespace

bool WorkloadChain::has(std::string_view uid) const noexcept {
  return std::any_of(levels.begin(), levels.end(), [uid](const auto& level) { return level->uid == uid; });
}

std::string describe_size(const Workload& workload) {
  if (workload.type->kind == WorkloadKind::pod_group) return fmt::format("{}: at least {}", workload.title(), workload.minimum);
  const auto members = std::count_if(workload.roles.begin(), workload.roles.end(), [](const WorkloadRole& role) { return role.is_member; });
  std::string text;
  std::size_t listed = 0;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.is_member) continue;
    if (++listed > 8) {
      text += fmt::format(" + {} more", members - 8);
      break;
    }
    text += (text.empty() ? "" : " + ") + size_text(role, members == 1, has_parts(workload));
  }
  if (workload.minimum > 0 && workload.minimum < total_of(workload)) text += fmt::format(" (at least {})", workload.minimum);
  return fmt::format("{}: {}", workload.title(), text);
}

int total_of(const Workload& workload) {
  int total = 0;
  for (const WorkloadRole& role : workload.roles) total = saturating_sum(total, role.is_member ? role.size() : 0);
  return total;
}

WorkloadState state_of(const WorkloadChain& chain) {
  const Workload* const counted = chain.counted();
  for (std::size_t i = 0; i < chain.levels.size() && i <= chain.counted_at; ++i) {
    if (std::optional<WorkloadState> state = state_of_level(*chain.levels[i])) return std::move(*state);
  }
  if (!counted) return WorkloadState();
  if (counted->stands_for) {
    const std::string other = fmt::format("{} {}", counted->stands_for->kind, printable(counted->stands_for->name, 253));
    return held(*counted, CauseLayer::workload, "NotCreated",
                counted->stands_for->is_chosen ? fmt::format("chooses {}, which does not exist", other)
                                               : fmt::format("has not made its {} yet", other),
                MemberState::waiting);
  }
  if (total_of(*counted) == 0 && counted->type->kind != WorkloadKind::pod_group)
    return held(*counted, CauseLayer::workload, "NoPods", "asks for no pods at present", MemberState::waiting);
  return WorkloadState();
}

std::vector<Cause> order_causes(const Workload& workload, const ClusterStatus& status) {
  constexpr std::size_t most = 16;
  std::vector<Cause> causes;
  if (std::optional<Cause> cause = cause_of_missing(workload, status)) causes.push_back(std::move(*cause));
  for (const WorkloadRole& role : workload.roles) {
    if (!role.is_member || causes.size() == most) continue;
    if (std::optional<Cause> cause = cause_of_role(workload, role, status)) causes.push_back(std::move(*cause));
  }
  return causes;
}

}  // namespace rollcall
