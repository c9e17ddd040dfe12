// The targets that a service follows. Each is polled once for all its listeners. All calls on the Runtime's executor.
#pragma once

#include <algorithm>
#include <asio/awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/topic.hpp"
#include "fleet/wire/position.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

class FleetOptions {
 public:
  FleetOptions() {}
  std::size_t max_targets = 5000;
  Duration lingering = std::chrono::minutes(5);       ///< how long a target without listeners is still followed; up to 15 s more
  Duration shortest_pause = std::chrono::seconds(2);  ///< between two polls of one source
  Duration max_pause = std::chrono::seconds(10);
  /// By project: the part of each API's quota that all clients together may use when they ask the cloud directly.
  std::map<std::string, int> polls_per_minute_of;
  int polls_per_minute = 300;                           ///< of a project without an entry; for FallbackSchedule
};

/// A source, for the operator.
class SourceFacts {
 public:
  SourceFacts() {}
  /// Counts one more target, of which this is known.
  void add(const Known& known) {
    ++targets;
    polled_at = std::max(polled_at, known.polled_at);  // none is before all
    if (!known.trouble.empty()) trouble = known.trouble;
  }
  std::string key;           ///< `tpu/PROJECT/ZONE`; if its service reports changes: the target behind a prefix
  bool supports_watch = false;
  std::size_t targets = 0;   ///< that this source follows
  std::optional<SteadyTime> polled_at;  ///< begin of the last poll that had an answer
  std::size_t requests_a_minute = 0;    ///< in the last minute; approximate
  std::size_t quota_a_minute = 0;       ///< its limit
  std::string trouble;       ///< of the last poll; empty: none
  std::string asked_by;      ///< of several replicas the one that leads: its URL, or its id; empty: this one
};

/// What one of several replicas knows of itself and the others.
class ReplicaNumbers {
 public:
  ReplicaNumbers() {}
  bool leads = false;
  std::string leader;       ///< the URL of the replica that leads, or its id; empty: none is known
  std::uint64_t epoch = 0;  ///< the highest that was seen
  std::size_t connected = 0;             ///< replicas that follow this one
  std::optional<Duration> view_age;      ///< since the last event of the leader; absent: there was none
  std::uint64_t leader_changes = 0;      ///< that this replica has seen
};

class ReplicaDesk;

class Fleet {
 public:
  virtual ~Fleet() = default;
  /// The topic of a target that names its project and zone, in the form of check_served() (the caller must check it). It is not followed
  /// before it has a listener. A topic without listeners for an hour is forgotten, or earlier if room is needed, unless it is held.
  /// Errors: invalid_argument, as make_resolver(); limit_exceeded: max_targets are followed, or the text has more than 4,096 bytes;
  /// cancelled: after close().
  virtual Result<std::shared_ptr<Topic>> topic(const Target& target) = 0;
  virtual std::vector<std::shared_ptr<Topic>> topics() const = 0;
  /// True if the target has a topic.
  virtual bool has_topic(const Target& target) const = 0;
  /// In the order of their keys.
  virtual std::vector<SourceFacts> sources() const { return {}; }
  /// None: there is only this replica.
  virtual std::optional<ReplicaNumbers> replica_numbers() const { return std::nullopt; }
  /// Of the last change of any topic. All topics share one sequence of revisions.
  virtual Position position() const = 0;
  /// The schedule by which clients ask the cloud themselves after they have lost the service. It depends on the current followers.
  virtual FallbackSchedule fallback_schedule() const = 0;
  /// What statuses and their changes take.
  virtual std::size_t memory_bytes() const noexcept = 0;
  virtual const Runtime& runtime() const noexcept = 0;
  /// Of several replicas: true if this one polls the clouds.
  virtual bool polls() const { return true; }
  /// Null: there is only this replica, and no other one may follow it.
  virtual ReplicaDesk* replica_desk() { return nullptr; }
  /// Why it cannot serve well at present; empty: it can.
  virtual std::string fault() const { return {}; }
  /// Sets the URL where this replica serves, which other replicas show to their operators. Called once, when it is known.
  virtual void serves_at(const std::string& url) { (void)url; }
  /// Call before the end: another replica leads, and this one goes on to serve. Suspends, 3 s at most.
  virtual asio::awaitable<void> leave() { co_return; }
  /// Stops following all targets; topics stay as they are.
  virtual void close() = 0;
};

/// `runtime` polls the clouds; it must not use a server itself. Each poll has 30 s and no retries: the next poll is the retry.
///
/// Memory is bounded. Statuses and their last changes (64 KiB of changes a target) are charged to their own account, and all of them
/// together stay within Limits::max_memory_bytes. A status that does not fit is trouble of its target, which keeps the earlier status.
/// Besides, a target has a text of 4 KiB, 64 changes of phase, and a spec, which is smaller than its status, for max_targets targets.
std::shared_ptr<Fleet> make_fleet(Runtime runtime, FleetOptions options = {});

}  // namespace rollcall::fleet
