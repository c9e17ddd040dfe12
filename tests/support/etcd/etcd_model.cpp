#include "support/etcd/etcd_model.hpp"

#include <algorithm>
#include <set>

#include "base/saturating.hpp"

namespace rollcall::sim {
namespace {

constexpr std::size_t max_operations = 128;
constexpr std::size_t max_bytes = 3 << 19;  // 1.5 MiB

std::size_t bytes_of(const EtcdTransaction& transaction) {
  std::size_t bytes = 0;
  for (const EtcdCompare& compare : transaction.compares) bytes += compare.key.size() + compare.value.size() + 16;
  for (const auto* operations : {&transaction.success, &transaction.failure}) {
    for (const EtcdOperation& operation : *operations) bytes += operation.span.key.size() + operation.value.size() + 16;
  }
  return bytes;
}

bool relates(int order, EtcdCompare::Relation relation) {
  switch (relation) {
    case EtcdCompare::Relation::equal: return order == 0;
    case EtcdCompare::Relation::greater: return order > 0;
    case EtcdCompare::Relation::less: return order < 0;
    case EtcdCompare::Relation::not_equal: return order != 0;
  }
  return false;
}

}  // namespace

void EtcdModel::pass(SteadyTime now) {
  if (!has_leader_) return;  // only the leader ends leases
  std::vector<std::int64_t> over;
  for (const auto& [id, lease] : state_.leases) {
    if (lease.ends <= now) over.push_back(id);
  }
  for (const std::int64_t id : over) drop_lease(id);
}

SteadyTime EtcdModel::next_end() const {
  SteadyTime first = SteadyTime::max();
  if (!has_leader_) return first;
  for (const auto& [id, lease] : state_.leases) first = std::min(first, lease.ends);
  return first;
}

EtcdResult<EtcdRange> EtcdModel::range(const EtcdOperation& asked, bool is_serializable) const {
  if (!has_leader_ && !is_serializable) return EtcdFault::no_leader;
  if (asked.span.key.empty()) return EtcdFault::no_key;
  if (asked.revision > state_.revision) return EtcdFault::future_revision;
  if (asked.revision != 0 && asked.revision < state_.compacted) return EtcdFault::compacted;
  std::map<std::string_view, const EtcdKey*> found;
  if (asked.revision == 0) {
    for (auto at = state_.keys.lower_bound(asked.span.key); at != state_.keys.end() && asked.span.has(at->first); ++at)
      found.emplace(at->first, &at->second);
  } else {
    for (const EtcdKey& written : state_.log) {
      if (written.mod_revision <= asked.revision && asked.span.has(written.key)) found[written.key] = &written;
    }
    std::erase_if(found, [](const auto& one) { return one.second->version == 0; });
  }
  EtcdRange range;
  range.count = found.size();
  for (const auto& [key, written] : found) {
    if (asked.limit != 0 && range.keys.size() == asked.limit) break;
    range.keys.push_back(*written);
  }
  range.has_more = range.keys.size() < found.size();
  return range;
}

bool EtcdModel::holds(const EtcdCompare& compare) const {
  static const EtcdKey absent;
  const auto found = state_.keys.find(compare.key);
  const EtcdKey& key = found == state_.keys.end() ? absent : found->second;
  const auto ordered = [](const auto& a, const auto& b) { return a < b ? -1 : a == b ? 0 : 1; };
  using Target = EtcdCompare::Target;
  // An absent key has no value that could be equal.
  if (compare.target == Target::value && found == state_.keys.end()) return false;
  const int order = compare.target == Target::version  ? ordered(key.version, compare.number)
                    : compare.target == Target::create ? ordered(key.create_revision, compare.number)
                    : compare.target == Target::mod    ? ordered(key.mod_revision, compare.number)
                    : compare.target == Target::value  ? ordered(key.value, compare.value)
                                                       : ordered(static_cast<std::uint64_t>(key.lease), compare.number);
  return relates(order, compare.relation);
}

EtcdFault EtcdModel::fault_of(const std::vector<EtcdOperation>& operations) const {
  for (const EtcdOperation& operation : operations) {
    if (operation.kind == EtcdOperation::Kind::put && operation.lease != 0 && !state_.leases.contains(operation.lease))
      return EtcdFault::no_lease;
    if (operation.kind != EtcdOperation::Kind::range) continue;
    const EtcdResult<EtcdRange> reported = range(operation);
    if (!reported) return reported.error();
  }
  return EtcdFault::none;
}

EtcdResult<EtcdTransactionOutcome> EtcdModel::commit(const EtcdTransaction& transaction) {
  if (!has_leader_) return EtcdFault::no_leader;
  const std::size_t max = std::max({transaction.compares.size(), transaction.success.size(), transaction.failure.size()});
  if (max > max_operations) return EtcdFault::too_many_operations;
  bool has_puts = false;
  for (const EtcdCompare& compare : transaction.compares) {
    if (compare.key.empty()) return EtcdFault::no_key;
  }
  for (const auto* operations : {&transaction.success, &transaction.failure}) {
    std::set<std::string_view> put;
    for (const EtcdOperation& operation : *operations) {
      if (operation.span.key.empty()) return EtcdFault::no_key;
      if (operation.kind != EtcdOperation::Kind::put) continue;
      has_puts = true;
      if (!put.insert(operation.span.key).second) return EtcdFault::duplicate_key;
    }
    for (const EtcdOperation& operation : *operations) {
      const bool removes = operation.kind == EtcdOperation::Kind::remove;
      if (removes && std::any_of(put.begin(), put.end(), [&](std::string_view key) { return operation.span.has(key); }))
        return EtcdFault::duplicate_key;
    }
  }
  if (bytes_of(transaction) > max_bytes) return EtcdFault::too_large;
  if (is_full_ && has_puts) return EtcdFault::no_space;
  EtcdTransactionOutcome outcome;
  outcome.has_succeeded =
      std::all_of(transaction.compares.begin(), transaction.compares.end(), [this](const EtcdCompare& one) { return holds(one); });
  const std::vector<EtcdOperation>& operations = outcome.has_succeeded ? transaction.success : transaction.failure;
  if (const EtcdFault fault = fault_of(operations); fault != EtcdFault::none) return fault;
  const std::uint64_t before = state_.log.size();
  for (const EtcdOperation& operation : operations) outcome.outcomes.push_back(apply(operation, state_.revision + 1));
  if (state_.log.size() != before) {
    ++state_.revision;
    tell();
  }
  return outcome;
}

EtcdOutcome EtcdModel::apply(const EtcdOperation& operation, std::uint64_t revision) {
  EtcdOutcome outcome;
  outcome.kind = operation.kind;
  if (operation.kind == EtcdOperation::Kind::range) {
    if (const EtcdResult<EtcdRange> reported = range(operation)) outcome.range = *reported;
  } else if (operation.kind == EtcdOperation::Kind::put) {
    EtcdKey& key = state_.keys[operation.span.key];
    key.key = operation.span.key;
    key.value = operation.value;
    key.lease = operation.lease;
    key.mod_revision = revision;
    if (key.version++ == 0) key.create_revision = revision;
    state_.log.push_back(key);
  } else {
    std::vector<std::string> gone;
    for (const auto& [key, kept] : state_.keys) {
      if (operation.span.has(key)) gone.push_back(key);
    }
    for (const std::string& key : gone) remove(key, revision);
    outcome.deleted = gone.size();
  }
  return outcome;
}

void EtcdModel::remove(const std::string& key, std::uint64_t revision) {
  EtcdKey deletion;
  deletion.key = key;
  deletion.mod_revision = revision;
  state_.log.push_back(std::move(deletion));
  state_.keys.erase(key);
}

EtcdResult<void> EtcdModel::compact(std::uint64_t revision) {
  if (!has_leader_) return EtcdFault::no_leader;
  if (revision <= state_.compacted) return EtcdFault::compacted;
  if (revision > state_.revision) return EtcdFault::future_revision;
  state_.compacted = revision;
  // Keeps the last write of each key before the compaction, unless it is a deletion.
  std::map<std::string_view, const EtcdKey*> last;
  for (const EtcdKey& written : state_.log) {
    if (written.mod_revision <= revision) last[written.key] = &written;
  }
  std::vector<EtcdKey> kept;
  for (const EtcdKey& written : state_.log) {
    if (written.mod_revision > revision || (last[written.key] == &written && written.version != 0)) kept.push_back(written);
  }
  last.clear();
  state_.log = std::move(kept);
  tell();
  return {};
}

EtcdResult<EtcdLease> EtcdModel::grant(std::int64_t ttl, std::int64_t id, SteadyTime now) {
  constexpr std::int64_t max = 9'000'000'000;
  constexpr std::int64_t shortest = 2;  // of an election time-out of a second
  if (!has_leader_) return EtcdFault::no_leader;
  if (ttl <= 0 || ttl > max) return EtcdFault::bad_ttl;
  if (is_full_) return EtcdFault::no_space;
  if (id != 0 && state_.leases.contains(id)) return EtcdFault::lease_exists;
  EtcdLease lease;
  lease.id = id;
  if (id == 0) lease.id = state_.last_lease = std::max<std::int64_t>(state_.last_lease, 0x694d8a3c0000'0000) + 1;
  lease.ttl = std::max(ttl, shortest);
  lease.ends = saturating_sum(now, std::chrono::seconds(lease.ttl));
  state_.leases[lease.id] = lease;
  tell();
  return lease;
}

EtcdResult<EtcdLease> EtcdModel::keep_alive(std::int64_t id, SteadyTime now) {
  if (!has_leader_) return EtcdFault::no_leader;
  const auto found = state_.leases.find(id);
  if (found == state_.leases.end()) return EtcdFault::no_lease;
  found->second.ends = saturating_sum(now, std::chrono::seconds(found->second.ttl));
  tell();
  return found->second;
}

EtcdResult<void> EtcdModel::revoke(std::int64_t id) {
  if (!has_leader_) return EtcdFault::no_leader;
  if (!state_.leases.contains(id)) return EtcdFault::no_lease;
  drop_lease(id);
  return {};
}

void EtcdModel::drop_lease(std::int64_t id) {
  state_.leases.erase(id);
  std::vector<std::string> gone;
  for (const auto& [key, kept] : state_.keys) {
    if (kept.lease == id) gone.push_back(key);
  }
  for (const std::string& key : gone) remove(key, state_.revision + 1);
  if (!gone.empty()) ++state_.revision;
  tell();
}

std::vector<EtcdKey> EtcdModel::since(std::uint64_t revision, const EtcdSpan& span) const {
  std::vector<EtcdKey> written;
  const auto first =
      std::partition_point(state_.log.begin(), state_.log.end(), [revision](const EtcdKey& one) { return one.mod_revision < revision; });
  std::copy_if(first, state_.log.end(), std::back_inserter(written), [&span](const EtcdKey& one) { return span.has(one.key); });
  return written;
}

void EtcdModel::set_leader(bool has_one, SteadyTime now) {
  if (has_one && !has_leader_) renew_leases(now);
  has_leader_ = has_one;
  tell();
}

void EtcdModel::renew_leases(SteadyTime now) {
  for (auto& [id, lease] : state_.leases) lease.ends = std::max(lease.ends, saturating_sum(now, std::chrono::seconds(lease.ttl)));
}

void EtcdModel::restart(SteadyTime now) {
  ++lives_;
  renew_leases(now);
  tell();
}

void EtcdModel::end_leases() {
  while (!state_.leases.empty()) drop_lease(state_.leases.begin()->first);
}

void EtcdModel::restore(State state, SteadyTime now) {
  state_ = std::move(state);
  restart(now);
}

void EtcdModel::tell() const {
  const Listeners copy = *listeners_;  // a listener may unsubscribe itself
  for (const auto& listener : copy) listener();
}

std::shared_ptr<void> EtcdModel::subscribe(std::function<void()> changed) {
  listeners_->push_back(std::move(changed));
  const auto at = std::prev(listeners_->end());
  return std::shared_ptr<void>(listeners_.get(), [listeners = listeners_, at](void*) { listeners->erase(at); });
}

}  // namespace rollcall::sim
