#include "resolvers/kubernetes/expected_pods.hpp"

#include <algorithm>
#include <set>

namespace rollcall {
namespace {

// A role that asks for no pods at present, such as a Ray group of none, holds up nothing while others ask for some.
std::vector<const WorkloadRole*> member_roles(const Workload& workload) {
  std::vector<const WorkloadRole*> roles;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_member) roles.push_back(&role);
  }
  if (total_of(workload) > 0) std::erase_if(roles, [](const WorkloadRole* role) { return role->size() == 0; });
  return roles;
}

}  // namespace

ExpectedPods::ExpectedPods(const PodScope& scope, KubernetesOptions::LabelMapping jobs)
    : scope_(scope), jobs_(std::move(jobs)), client_(scope), owners_(client_) {}

ExpectedPods::ExpectedPods(const PodScope& scope, NamedWorkload workload)
    : scope_(scope), named_(std::move(workload)), client_(scope), owners_(client_) {}

asio::awaitable<Result<void>> ExpectedPods::refresh(Call& call) {
  if (named_) {
    const Result<void> read = co_await read_named(call);
    if (!read || !by_group_) co_return read;
  }
  co_return co_await read_again(call);
}

asio::awaitable<Result<void>> ExpectedPods::read_again(Call& call) {
  std::vector<std::string> uids;
  std::set<std::string> kept;
  for (Selection& selection : selections_) {
    for (const std::string& uid : selection.workloads) {
      for (const auto& level : owners_.chain_of(uid).levels) {
        if (kept.insert(level->uid).second) uids.push_back(level->uid);
      }
    }
  }
  co_return co_await owners_.read_again(call, std::move(uids));
}

asio::awaitable<Result<void>> ExpectedPods::read_named(Call& call) {
  if (!named_->others.empty()) {
    std::vector<const WorkloadType*> types = named_->others;
    types.insert(types.begin(), named_->type);
    const Result<const WorkloadType*> type = co_await client_.only_one_of(call, std::move(types));
    if (!type) co_return type.error();
    named_->type = *type;
    named_->others.clear();
  }
  Result<Workload> read = co_await client_.get(call, *named_->type, scope_.namespace_name, named_->name);
  if (!read) co_return read.error();
  Workload top = std::move(*read);
  const std::string uid = top.uid;
  std::string counted_uid = uid;
  std::optional<Workload> made;
  if (top.stands_for) {
    const WorkloadReference wanted = *top.stands_for;
    const WorkloadType* const type = workload_type_of(wanted.api_version, wanted.kind);
    if (type) {
      Result<Workload> got = co_await client_.get(call, *type, top.namespace_name, wanted.name, wanted.api_version);
      const bool is_absent = !got && (got.error().code() == Errc::not_found || got.error().code() == Errc::failed_precondition);
      if (!got && !is_absent) co_return got.error();
      // One of the same name that is not its own was there before, or is of another.
      if (got && (wanted.is_chosen || (got->owner && got->owner->uid == uid))) {
        counted_uid = got->uid;
        made = std::move(*got);
      }
    }
  }
  // What owns it may have changed its state, too.
  std::vector<std::string> above;
  for (const auto& level : owners_.chain_of(uid).levels) {
    if (level->uid != uid) above.push_back(level->uid);
  }
  Result<void> done = co_await owners_.read_again(call, std::move(above));
  if (!done) co_return done.error();
  done = co_await owners_.adopt(call, std::move(top));
  if (!done) co_return done.error();
  if (made) {
    done = co_await owners_.adopt(call, std::move(*made));
    if (!done) co_return done.error();
  }
  chain_ = owners_.chain_of(counted_uid);
  if (chain_.levels.empty()) chain_.levels.push_back(owners_.find(counted_uid)->object);  // objects that own each other
  if (!chain_.has(uid)) chain_.levels.insert(chain_.levels.begin(), owners_.find(uid)->object);  // it has chosen another's
  choose_level();
  jobs_.clear();
  roles_.clear();
  for (const WorkloadRole* const role : member_roles(*chain_.counted())) {
    jobs_.emplace_back(role->job, KubernetesOptions::Selectors{role->selector});
    roles_.push_back(role);
  }
  co_return Result<void>();
}

// By itself, even if it is a part of a larger one. A PodGroup that a controller has made is of the controller's pods.
void ExpectedPods::choose_level() {
  chain_.counted_at = chain_.levels.size() - 1;
  const Workload& named = *chain_.levels.back();
  by_group_ = named.type->kind == WorkloadKind::pod_group;
  group_ = by_group_ ? &named : nullptr;
  if (!by_group_ || chain_.levels.size() < 2 || !named.owner) return;
  const Workload& maker = *chain_.levels[chain_.levels.size() - 2];
  const bool has_several = maker.type->kind == WorkloadKind::leader_worker_set;  // a PodGroup for each of its groups
  const int all = total_of(maker);
  if (maker.uid != named.owner->uid || has_several || all == 0 || all < named.minimum) return;
  --chain_.counted_at;
  by_group_ = false;
}

bool ExpectedPods::has_new_owners(const std::vector<PodPointers>& pods) const {
  std::string_view last;  // most neighbours have the same
  for (const PodPointers& list : pods) {
    for (const FoundPod* const pod : list) {
      if (!pod->owner || pod->owner->uid == last) continue;
      last = pod->owner->uid;
      if (!owners_.find(last)) return true;
    }
  }
  return false;
}

asio::awaitable<Result<void>> ExpectedPods::look_up(Call& call, const std::vector<PodPointers>& pods) {
  std::vector<OwnerToRead> owners;
  std::set<std::string_view> seen;
  std::set<std::string> needed;
  std::string_view last;  // most neighbours have the same
  for (const PodPointers& list : pods) {
    for (const FoundPod* const pod : list) {
      if (!pod->owner || (pod->owner->uid == last && !last.empty())) continue;
      last = pod->owner->uid;
      if (!seen.insert(last).second) continue;
      needed.insert(pod->owner->uid);
      if (!owners_.find(last)) owners.push_back(owner_of(*pod));
    }
  }
  constexpr std::size_t spare = 1024;
  if (owners_.size() > 4 * needed.size() + spare) forget_others(needed);
  PodsByUid by_uid;
  for (const PodPointers& list : pods) {
    for (const FoundPod* const pod : list) {
      if (pod->position.workload == PodConvention::leader_worker_set) by_uid.emplace(pod->uid, pod);
    }
  }
  co_return co_await owners_.look_up(call, std::move(owners), by_uid);
}

// Long following sees many owners come and go.
void ExpectedPods::forget_others(const std::set<std::string>& needed) {
  std::set<std::string> kept = needed;
  const auto add = [&](const std::string& uid) {
    for (const auto& level : owners_.chain_of(uid).levels) kept.insert(level->uid);
  };
  for (const std::string& uid : needed) add(uid);
  for (const Selection& selection : selections_) {
    for (const std::string& uid : selection.workloads) {
      kept.insert(uid);
      add(uid);
    }
  }
  owners_.keep_only(kept);
}

bool ExpectedPods::has_workloads() const noexcept {
  return named_ || std::any_of(selections_.begin(), selections_.end(), [](const Selection& one) { return !one.workloads.empty(); });
}

}  // namespace rollcall
