#include "resolvers/kubernetes/workload_owners.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/group.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/rules/found_pod.hpp"

namespace rollcall {
namespace {

constexpr int max_levels = 8;  // of owners above each other; the longest chain of the known kinds has five
constexpr std::size_t at_a_time = 16;

bool is_pod(const WorkloadReference& reference) { return reference.kind == "Pod" && reference.api_version == "v1"; }

// The name stands in a path.
bool may_be_asked(const WorkloadReference& reference) {
  return !reference.uid.empty() && !reference.name.empty() && reference.name.size() <= 253;
}

}  // namespace

OwnerToRead owner_of(const FoundPod& pod) {
  OwnerToRead one;
  one.reference.api_version = pod.owner->api_version;
  one.reference.kind = pod.owner->kind;
  one.reference.name = pod.owner->name;
  one.reference.uid = pod.owner->uid;
  one.namespace_name = pod.namespace_name;
  return one;
}

asio::awaitable<Result<WorkloadOwners::Owner>> WorkloadOwners::read(Call& call, const OwnerToRead& wanted, const PodsByUid& pods) {
  Owner owner;
  owner.self = wanted.reference;
  owner.namespace_name = wanted.namespace_name;
  const auto at_hand = is_pod(wanted.reference) ? pods.find(wanted.reference.uid) : pods.end();
  if (at_hand != pods.end()) {
    if (at_hand->second->owner) owner.parent = owner_of(*at_hand->second).reference;
    co_return owner;
  }
  const WorkloadType* const type = workload_type_of(wanted.reference.api_version, wanted.reference.kind);
  const std::string shown = fmt::format("{} {}", printable(wanted.reference.kind, 64), quoted(wanted.reference.name, 253));
  if ((!type && !is_pod(wanted.reference)) || !may_be_asked(wanted.reference)) {
    owner.state = State::other_kind;
    owner.words = fmt::format("{} is of a kind that is not known", shown);
    co_return owner;
  }
  std::optional<Result<Workload>> read;
  if (type) {
    Result<Workload> got = co_await client_.get(call, *type, wanted.namespace_name, wanted.reference.name, wanted.reference.api_version);
    read.emplace(std::move(got));
  } else {
    Result<Workload> got = co_await client_.get_pod(call, wanted.namespace_name, wanted.reference.name);
    read.emplace(std::move(got));
  }
  if (*read) {
    Workload& workload = **read;
    if (workload.uid != wanted.reference.uid) {
      owner.state = State::gone;
      owner.words = fmt::format("{} was made again, and these pods are of the one before", shown);
      co_return owner;
    }
    owner.parent = workload.owner;
    if (type) owner.object = std::make_shared<const Workload>(std::move(workload));
    co_return owner;
  }
  const Failure failure = read->error();
  switch (failure.code()) {
    case Errc::not_found:
      owner.state = State::gone;
      owner.words = fmt::format("{} does not exist any more", shown);
      co_return owner;
    case Errc::permission_denied:
      owner.state = State::refused;
      owner.words = fmt::format(
          "{} may not be read ({})", shown,
          type ? missing_rule(*type, wanted.namespace_name) : fmt::format("get pods in namespace {}", quoted(wanted.namespace_name, 64)));
      co_return owner;
    case Errc::failed_precondition:
    case Errc::malformed_response:
      owner.state = State::refused;
      owner.words = fmt::format("{} cannot be read: {}", shown, printable(failure.what(), 300));
      co_return owner;
    default: co_return failure;
  }
}

void WorkloadOwners::keep(Owner owner) {
  std::string uid = owner.self.uid;
  const Owner* const known = find(uid);
  const bool is_same = known && known->state == owner.state && !known->object == !owner.object &&
                       (!owner.object || known->object->version == owner.object->version);
  if (!is_same) ++revision_;
  owners_.insert_or_assign(std::move(uid), std::move(owner));
}

asio::awaitable<Result<void>> WorkloadOwners::look_up(Call& call, std::vector<OwnerToRead> owners, const PodsByUid& pods) {
  for (int level = 0; level < max_levels; ++level) {
    std::set<std::string> seen;
    std::erase_if(owners, [&](const OwnerToRead& one) { return find(one.reference.uid) || !seen.insert(one.reference.uid).second; });
    if (owners.empty()) break;
    std::function<asio::awaitable<Result<Owner>>(std::size_t)> ask = [&](std::size_t i) { return read(call, owners[i], pods); };
    Result<std::vector<Owner>> read_ones = co_await join_bounded<Owner>(owners.size(), at_a_time, std::move(ask));
    if (!read_ones) co_return read_ones.error();
    std::vector<OwnerToRead> above;
    for (Owner& one : *read_ones) {
      if (one.parent && one.state == State::known) {
        OwnerToRead& next = above.emplace_back();
        next.reference = *one.parent;
        next.namespace_name = one.namespace_name;
      }
      keep(std::move(one));
    }
    owners = std::move(above);
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> WorkloadOwners::read_again(Call& call, std::vector<std::string> uids) {
  std::vector<OwnerToRead> owners;
  for (const std::string& uid : uids) {
    const Owner* const known = find(uid);
    if (!known || !known->object) continue;
    OwnerToRead& one = owners.emplace_back();
    one.reference = known->self;
    one.namespace_name = known->namespace_name;
  }
  const PodsByUid none;
  std::function<asio::awaitable<Result<Owner>>(std::size_t)> ask = [&](std::size_t i) { return read(call, owners[i], none); };
  Result<std::vector<Owner>> read_ones = co_await join_bounded<Owner>(owners.size(), at_a_time, std::move(ask));
  if (!read_ones) co_return read_ones.error();
  for (Owner& one : *read_ones) keep(std::move(one));
  co_return Result<void>();
}

asio::awaitable<Result<void>> WorkloadOwners::adopt(Call& call, Workload workload) {
  Owner owner;
  owner.namespace_name = workload.namespace_name;
  owner.self.api_version = workload.api_version;
  owner.self.kind = workload.type->name;
  owner.self.name = workload.name;
  owner.self.uid = workload.uid;
  owner.parent = workload.owner;
  owner.object = std::make_shared<const Workload>(std::move(workload));
  std::vector<OwnerToRead> above;
  if (owner.parent) {
    OwnerToRead& next = above.emplace_back();
    next.reference = *owner.parent;
    next.namespace_name = owner.namespace_name;
  }
  keep(std::move(owner));
  const PodsByUid none;
  co_return co_await look_up(call, std::move(above), none);
}

const WorkloadOwners::Owner* WorkloadOwners::find(std::string_view uid) const {
  if (last_ != owners_.end() && last_->first == uid) return &last_->second;
  const auto found = owners_.find(uid);
  if (found == owners_.end()) return nullptr;
  last_ = found;
  return &found->second;
}

WorkloadChain WorkloadOwners::chain_of(std::string_view uid) const {
  WorkloadChain chain;
  std::set<std::string, std::less<>> seen;
  std::string at(uid);
  for (const Owner* owner = find(at); owner; owner = find(at)) {
    if (owner->state != State::known) {
      chain.stopped = owner->words;
      chain.is_refused = owner->state == State::refused;
      chain.is_gone = owner->state == State::gone;
      break;
    }
    if (!seen.insert(at).second || static_cast<int>(seen.size()) > max_levels) {
      chain.levels.clear();
      chain.stopped = fmt::format("{} {} is its own owner, or has too many", printable(owner->self.kind, 64), quoted(owner->self.name, 80));
      break;
    }
    if (owner->object) chain.levels.insert(chain.levels.begin(), owner->object);
    if (!owner->parent) break;
    at = owner->parent->uid;
  }
  chain.count_by_outermost();
  return chain;
}

void WorkloadOwners::keep_only(const std::set<std::string>& uids) {
  last_ = owners_.end();
  std::erase_if(owners_, [&uids](const auto& entry) { return !uids.contains(entry.first); });
}

}  // namespace rollcall
