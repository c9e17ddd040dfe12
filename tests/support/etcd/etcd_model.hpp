// etcd as a pure state machine: keys with revisions, their history, leases, a quota. Requests and the time in, answers out; compared with
// etcd 3.4.23 and 3.6.14 (tests/store, tests/interop/fleet).
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

/// A key as it was written by one revision.
class EtcdKey {
 public:
  EtcdKey() {}
  std::string key;
  std::string value;
  std::uint64_t create_revision = 0;
  std::uint64_t mod_revision = 0;
  std::uint64_t version = 0;  ///< writes since it was created; 0: it was deleted
  std::int64_t lease = 0;
  friend bool operator==(const EtcdKey&, const EtcdKey&) = default;
};

/// The reason of an error.
enum class EtcdFault {
  none,
  compacted,
  future_revision,
  no_space,
  no_lease,
  lease_exists,
  duplicate_key,
  no_key,
  too_many_operations,
  too_large,
  no_leader,
  bad_ttl,
};

template <class T>
using EtcdResult = boost::system::result<T, EtcdFault>;

class EtcdCompare {
 public:
  enum class Target { version, create, mod, value, lease };
  enum class Relation { equal, greater, less, not_equal };
  EtcdCompare() {}
  std::string key;
  Target target = Target::version;
  Relation relation = Relation::equal;
  std::uint64_t number = 0;
  std::string value;
};

/// The keys from `key` up to, and without, `end`; an empty end: that key alone; an end of one zero byte: all from `key` on.
class EtcdSpan {
 public:
  EtcdSpan() {}
  explicit EtcdSpan(std::string one, std::string up_to = {}) : key(std::move(one)), end(std::move(up_to)) {}
  bool has(std::string_view other) const {
    if (end.empty()) return other == key;
    return other >= key && (end == std::string_view("\0", 1) || other < end);
  }
  std::string key;
  std::string end;
};

class EtcdOperation {
 public:
  enum class Kind { range, put, remove };
  EtcdOperation() {}
  Kind kind = Kind::range;
  EtcdSpan span;
  std::string value;
  std::int64_t lease = 0;
  std::uint64_t limit = 0;     ///< for a range; 0: none
  std::uint64_t revision = 0;  ///< for a range; 0: the present one
};

class EtcdRange {
 public:
  EtcdRange() {}
  std::vector<EtcdKey> keys;
  std::uint64_t count = 0;  ///< without the limit
  bool has_more = false;
};

class EtcdOutcome {
 public:
  EtcdOutcome() {}
  EtcdOperation::Kind kind = EtcdOperation::Kind::range;
  EtcdRange range;
  std::uint64_t deleted = 0;
};

class EtcdTransaction {
 public:
  EtcdTransaction() {}
  std::vector<EtcdCompare> compares;
  std::vector<EtcdOperation> success;
  std::vector<EtcdOperation> failure;
};

class EtcdTransactionOutcome {
 public:
  EtcdTransactionOutcome() {}
  bool has_succeeded = false;
  std::vector<EtcdOutcome> outcomes;
};

class EtcdLease {
 public:
  EtcdLease() {}
  std::int64_t id = 0;
  std::int64_t ttl = 0;  ///< seconds, as granted
  SteadyTime ends{};
};

class EtcdModel {
 public:
  EtcdModel() {}
  EtcdModel(const EtcdModel&) = delete;
  EtcdModel& operator=(const EtcdModel&) = delete;

  /// Ends the expired leases. Called before every other request at `now`.
  void pass(SteadyTime now);
  /// When the next lease ends; max(): none.
  SteadyTime next_end() const;

  std::uint64_t revision() const noexcept { return state_.revision; }
  std::uint64_t compacted() const noexcept { return state_.compacted; }
  /// May be answered without a leader: `is_serializable`.
  EtcdResult<EtcdRange> range(const EtcdOperation& asked, bool is_serializable = false) const;
  EtcdResult<EtcdTransactionOutcome> commit(const EtcdTransaction& transaction);
  EtcdResult<void> compact(std::uint64_t revision);
  /// `id` 0: a free one is chosen.
  EtcdResult<EtcdLease> grant(std::int64_t ttl, std::int64_t id, SteadyTime now);
  EtcdResult<EtcdLease> keep_alive(std::int64_t id, SteadyTime now);
  EtcdResult<void> revoke(std::int64_t id);
  /// All writes from `revision` on, oldest first.
  std::vector<EtcdKey> since(std::uint64_t revision, const EtcdSpan& span) const;

  // Faults of a cluster.
  /// Without a leader nothing is written, and only serializable reads are answered. A new leader restarts every lease's time.
  void set_leader(bool has_one, SteadyTime now);
  bool has_leader() const noexcept { return has_leader_; }
  /// Every connection breaks; no data is lost.
  void restart(SteadyTime now);
  /// Counts restarts.
  std::uint64_t lives() const noexcept { return lives_; }
  /// Ends all leases at once, as if no keep-alive had been sent.
  void end_leases();
  /// From now on only deletions are accepted, until it is set to false.
  void set_full(bool is_full) { is_full_ = is_full; }
  /// The content of a backup.
  class State {
   public:
    State() {}
    std::uint64_t revision = 1;
    std::uint64_t compacted = 0;
    std::map<std::string, EtcdKey> keys;  // the current keys
    std::vector<EtcdKey> log;             // since the compaction, and the state at that time
    std::map<std::int64_t, EtcdLease> leases;
    std::int64_t last_lease = 0;
  };
  State backup() const { return state_; }
  /// The revision goes back. Otherwise as restart().
  void restore(State state, SteadyTime now);

  /// `changed` is called after each change, until the returned object is destroyed.
  std::shared_ptr<void> subscribe(std::function<void()> changed);

 private:
  using Listeners = std::list<std::function<void()>>;
  bool holds(const EtcdCompare& compare) const;
  EtcdFault fault_of(const std::vector<EtcdOperation>& operations) const;
  EtcdOutcome apply(const EtcdOperation& operation, std::uint64_t revision);
  void remove(const std::string& key, std::uint64_t revision);
  void drop_lease(std::int64_t id);
  void renew_leases(SteadyTime now);
  void notify() const;

  State state_;
  bool has_leader_ = true;
  bool is_full_ = false;
  std::uint64_t lives_ = 0;
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

}  // namespace rollcall::sim
