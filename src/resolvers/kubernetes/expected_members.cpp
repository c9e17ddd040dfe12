// Which of the pods that were found are members, and at which places.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"
#include "resolvers/kubernetes/rules/plain_groups.hpp"
#include "resolvers/kubernetes/rules/replaced_pods.hpp"

namespace rollcall {
namespace {

// Of pods of one JobSet those of the last restart count.
void leave_out_earlier_attempts(PodPointers& pods, int attempt) {
  for (const FoundPod* const pod : pods) attempt = std::max(attempt, pod->position.attempt);
  if (attempt > 0) std::erase_if(pods, [attempt](const FoundPod* pod) { return pod->position.attempt < attempt; });
}

bool makes_in_stages(const Workload& workload) {
  return workload.is_ordered || workload.waits_for_leader || workload.waits_for_workers ||
         std::any_of(workload.roles.begin(), workload.roles.end(),
                     [](const WorkloadRole& role) { return !role.after.empty() || !role.after_end_of.empty(); });
}

// How many there are at least, by the labels that say how many parts a role has. A selector may choose some of them.
int fewest_of(const PodPointers& pods, std::string_view selector) {
  for (const std::string_view number : {"-index", "job-name", "controller-uid"}) {
    if (selector.find(number) != std::string_view::npos) return 0;
  }
  std::map<std::string_view, WorkloadRole> roles;
  for (const FoundPod* const pod : pods) {
    if (!pod->details || !pod->details->part) continue;
    const MemberPart& part = *pod->details->part;
    WorkloadRole& role = roles[pod->position.role];
    role.parts = std::max({role.parts, part.count, saturating_sum(part.index, 1)});
    role.members = std::max({role.members, part.members, saturating_sum(part.member, 1)});
  }
  int sum = 0;
  for (const auto& [name, role] : roles) sum = saturating_sum(sum, role.size());
  return sum;
}

bool is_of_role(const FoundPod& pod, const WorkloadRole& role) {
  return role.name.empty() || pod.position.role.empty() || pod.position.role == role.name;
}

// What a batch has done is no member any more. A pod that succeeded stays until the Job is deleted.
void leave_out_done(PodPointers& pods, const WorkloadRole& role) {
  if (!role.is_batch) return;
  std::erase_if(pods, [&role](const FoundPod* pod) { return pod->phase == "Succeeded" && is_of_role(*pod, role); });
}

PodPlaceRun run_of(const WorkloadRole& role, WorkloadKind kind, int base) {
  PodPlaceRun run;
  run.role = role.name;
  run.base = base;
  run.parts = role.parts;
  run.members = role.members;
  run.first = role.first;
  run.is_one_part = kind == WorkloadKind::job;  // one of a JobSet's is a part of that, not of itself
  return run;
}

// True if a pod's index is its place in a workload of this kind. That of a larger one's part is another.
bool is_numbered_by(const FoundPod& pod, WorkloadKind kind) {
  const PodConvention by = pod.position.convention;
  switch (kind) {
    case WorkloadKind::job: return by == PodConvention::indexed_job || by == PodConvention::jobset;
    case WorkloadKind::job_set: return by == PodConvention::jobset;
    case WorkloadKind::leader_worker_set: return by == PodConvention::leader_worker_set;
    case WorkloadKind::stateful_set: return by == PodConvention::stateful_set;
    case WorkloadKind::kubeflow_job:
    case WorkloadKind::mpi_job: return by == PodConvention::kubeflow;
    case WorkloadKind::volcano_job: return by == PodConvention::volcano;
    default: return false;
  }
}

bool are_numbered_by(const PodPointers& pods, WorkloadKind kind) {
  return std::all_of(pods.begin(), pods.end(), [kind](const FoundPod* pod) { return is_numbered_by(*pod, kind); });
}

// The pods that stand at one of the places; surplus ones do not count: a group more during an update, one index that goes.
void keep_places(PodPointers& pods, const PodPlaces& places) {
  std::erase_if(pods, [&places](const FoundPod* pod) { return !places.of(*pod); });
}

}  // namespace

void ExpectedPods::take(std::vector<PodPointers>& pods) {
  selections_.resize(pods.size());
  unknown_.clear();
  std::size_t next = 0;
  for (const auto& [job, selectors] : jobs_) {
    for (const std::string& selector : selectors) {
      drop_replaced(pods[next]);
      if (named_) {
        take_named(next, pods[next]);
      } else {
        take_owned(selector, selections_[next], pods[next]);
      }
      settle_leaving(selections_[next], pods[next]);
      if (unknown_.empty()) unknown_ = selections_[next].unknown;
      ++next;
    }
  }
  share_plain_groups(pods);
}

// By the pods' owners. Where they may not be read, the labels have to do.
bool ExpectedPods::is_owner_of_named(std::string_view uid) const {
  const WorkloadOwners::Owner* const owner = owners_.find(uid);
  if (!owner || owner->state == WorkloadOwners::State::gone) return false;
  const WorkloadChain chain = owners_.chain_of(uid);
  return chain.has(chain_.counted()->uid) || chain.is_refused;
}

void ExpectedPods::take_named(std::size_t selector, PodPointers& pods) {
  const WorkloadRole& role = *roles_[selector];
  if (by_group_) return take_group(role, selections_[selector], pods);
  const Workload* const counted = chain_.counted();
  std::map<std::string_view, bool> is_own;  // by the pods' owner
  std::erase_if(pods, [&](const FoundPod* pod) {
    const std::string_view group = group_ && pod->groups ? pod->groups->of(group_->type->group) : std::string_view();
    if (!is_of_role(*pod, role) || !pod->owner || (!group.empty() && group != group_->name)) return true;
    const auto [owner, is_new] = is_own.try_emplace(pod->owner->uid, false);
    if (is_new) owner->second = is_owner_of_named(pod->owner->uid);
    return !owner->second;
  });
  leave_out_earlier_attempts(pods, counted->attempt);
  leave_out_done(pods, role);
  Selection& selection = selections_[selector];
  selection = Selection();
  selection.size = role.size();
  selection.workloads = {counted->uid};
  if (role.numbers == RoleNumbers::counted) drop_surplus(pods, role.size(), [](const FoundPod&) { return true; });
  if (role.numbers != RoleNumbers::places || !are_numbered_by(pods, counted->type->kind)) return;
  selection.places.emplace(std::vector<PodPlaceRun>{run_of(role, counted->type->kind, 0)});
  keep_places(pods, *selection.places);
}

// Whose pods they are. Pods of a workload that is gone are left out, as those of a group whose leader is: they are collected soon.
ExpectedPods::OwnedPods ExpectedPods::group_by_workload(PodPointers& pods) const {
  OwnedPods owned;
  std::map<std::string_view, bool, UidOrder> is_gone;  // by the pods' owner
  std::erase_if(pods, [&](const FoundPod* pod) {
    if (!pod->owner) return is_leaving(*pod) && !is_in_plain_group(*pod);
    const auto [owner, is_new] = is_gone.try_emplace(pod->owner->uid, false);
    if (is_new) owner->second = owners_.chain_of(pod->owner->uid).is_gone;
    return owner->second;
  });
  std::set<std::string_view> groups;  // of pods that have an owner
  for (const FoundPod* const pod : pods) {
    if (pod->owner) groups.insert(pod->position.group);
  }
  for (const FoundPod* const pod : pods) {
    const WorkloadChain made_by = pod->owner && is_in_plain_group(*pod) ? owners_.chain_of(pod->owner->uid) : WorkloadChain();
    if (is_in_plain_group(*pod) && !made_by.counted()) {  // an owner of an unknown kind does not say a number
      owned.plain.push_back(pod);
      continue;
    }
    if (!pod->owner) {
      // One that says it has a number of the same workload contradicts a pod of it, and is no further member.
      const bool claims_place = pod->position.convention != PodConvention::none && groups.contains(pod->position.group);
      owned.bare += claims_place ? 0 : 1;
      continue;
    }
    const auto [known, is_new] = owned.workload_of.try_emplace(pod->owner->uid, nullptr);
    if (is_new) {
      const WorkloadChain chain = owners_.chain_of(pod->owner->uid);
      known->second = chain.counted();
      if (chain.counted()) {
        owned.workloads.emplace(chain.counted()->uid, chain);
      } else if (owned.unknown.empty()) {
        owned.unknown = chain.stopped.empty()
                            ? fmt::format("nothing is known of {} {}", printable(pod->owner->kind, 64), quoted(pod->owner->name))
                            : chain.stopped;
      }
    }
    if (known->second) ++owned.pods[known->second];
  }
  return owned;
}

// Which stage each pod is of. A status has the jobs of the selectors, not those of the roles.
void ExpectedPods::note_stages(const Workload& workload, const OwnedPods& owned, const PodPointers& pods, Selection& selection) {
  if (!makes_in_stages(workload)) return;
  for (const FoundPod* const pod : pods) {
    const auto mine = pod->owner ? owned.workload_of.find(pod->owner->uid) : owned.workload_of.end();
    if (mine == owned.workload_of.end() || mine->second != &workload || pod->uid.empty()) continue;
    const auto role =
        std::find_if(workload.roles.begin(), workload.roles.end(), [pod](const WorkloadRole& one) { return is_of_role(*pod, one); });
    if (role != workload.roles.end()) selection.stages.emplace(pod->uid, std::pair(workload.uid, role->job));
  }
}

// Adds what the selector can match of one workload. False: how many that are is not known.
bool ExpectedPods::select(std::string_view selector, const WorkloadChain& chain, const OwnedPods& owned, Selection& selection,
                          std::vector<PodPlaceRun>& runs, PodPointers& pods) {
  const Workload& workload = *chain.counted();
  SelectedRoles selected = roles_selected_by(selector, workload);
  // Pods that are no members count only if none others are asked for.
  const bool has_members = std::any_of(selected.roles.begin(), selected.roles.end(),
                                       [](const SelectedRole& one) { return one.role->is_member && one.size() > 0; });
  if (has_members) std::erase_if(selected.roles, [](const SelectedRole& one) { return !one.role->is_member; });
  int own = 0;
  bool has_places = true;
  for (const SelectedRole& one : selected.roles) {
    has_places = has_places && (one.is_whole() || one.size() == 0) && one.role->numbers == RoleNumbers::places;
    if (one.size() > 0) runs.push_back(run_of(*one.role, workload.type->kind, own));
    own = saturating_sum(own, one.size());
  }
  if (!has_places) runs.clear();
  const auto there = owned.pods.find(&workload);
  std::string unknown;
  if (workload.roles.empty()) {
    unknown = fmt::format("{} does not say it", workload.title());
  } else if (chain.is_refused && !selected.names_workload) {
    unknown = chain.stopped;
  } else if (!selected.unknown.empty()) {
    unknown = fmt::format("how many pods of {} have {} is not known", workload.title(), quoted(selected.unknown, 80));
  } else if (own == 0 && total_of(workload) > 0 && there != owned.pods.end()) {
    unknown = fmt::format("pods of {} have labels that are not in its template", workload.title());
  }
  if (!unknown.empty()) {
    if (selection.unknown.empty()) selection.unknown = std::move(unknown);
    return false;
  }
  selection.size = saturating_sum(selection.size.value_or(0), own);
  const int all = total_of(workload);
  if (!selection.source.empty()) selection.source += "; ";
  selection.source += own == all ? describe_size(workload) : fmt::format("{}: {} of {}", workload.title(), own, all);
  std::erase_if(pods, [&](const FoundPod* pod) {
    const auto mine = pod->owner ? owned.workload_of.find(pod->owner->uid) : owned.workload_of.end();
    if (mine == owned.workload_of.end() || mine->second != &workload) return false;
    return std::none_of(selected.roles.begin(), selected.roles.end(), [pod](const SelectedRole& one) {
      return is_of_role(*pod, *one.role) && !(one.role->is_batch && pod->phase == "Succeeded");
    });
  });
  for (const SelectedRole& one : selected.roles) {
    if (one.role->numbers != RoleNumbers::counted) continue;
    drop_surplus(pods, one.size(), [&](const FoundPod& pod) {
      const auto mine = pod.owner ? owned.workload_of.find(pod.owner->uid) : owned.workload_of.end();
      return mine != owned.workload_of.end() && mine->second == &workload && is_of_role(pod, *one.role);
    });
  }
  return has_places;
}

void ExpectedPods::take_owned(const std::string& selector, Selection& selection, PodPointers& pods) {
  const std::vector<std::string> known = std::move(selection.workloads);
  selection = Selection();
  OwnedPods owned = group_by_workload(pods);
  selection.unknown = owned.unknown;
  // A workload without pods at present, such as a suspended one, counts as long as it exists.
  for (const std::string& uid : known) {
    const WorkloadOwners::Owner* const owner = owners_.find(uid);
    if (owner && owner->state == WorkloadOwners::State::known && owner->object) owned.workloads.emplace(uid, owners_.chain_of(uid));
  }
  if (owned.workloads.empty() && owned.plain.empty() && selection.unknown.empty()) return;  // pods without owners: as many as there are
  if (owned.bare > 0) selection.size = owned.bare;
  std::vector<PodPlaceRun> runs;
  bool has_places = owned.bare == 0 && owned.plain.empty() && owned.workloads.size() == 1;
  if (!owned.plain.empty()) take_plain(std::move(owned.plain), selection, pods);
  for (const auto& [uid, chain] : owned.workloads) {
    selection.workloads.push_back(uid);
    has_places = select(selector, chain, owned, selection, runs, pods) && has_places;
    if (owned.workloads.size() == 1) leave_out_earlier_attempts(pods, chain.counted()->attempt);
    note_stages(*chain.counted(), owned, pods, selection);
  }
  if (owned.bare > 0) selection.source += fmt::format("; {} without an owner", owned.bare);
  if (!selection.unknown.empty()) {
    selection.size.reset();
    selection.at_least = fewest_of(pods, selector);
    return;
  }
  if (!has_places || !are_numbered_by(pods, owned.workloads.begin()->second.counted()->type->kind)) return;
  selection.places.emplace(std::move(runs));
  keep_places(pods, *selection.places);
}

}  // namespace rollcall
