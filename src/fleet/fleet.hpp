// The targets that are followed for others: each asked for once, however many want to know. All calls on the Runtime's executor.
#pragma once

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
  Duration lingering = std::chrono::minutes(5);       ///< how long a target is followed that nobody listens to; up to 15 s more
  Duration shortest_pause = std::chrono::seconds(2);  ///< between two looks at one source
  Duration max_pause = std::chrono::seconds(10);
  /// By project: of the quota of each API, what all direct askers together may use.
  std::map<std::string, int> polls_per_minute_of;
  int polls_per_minute = 300;                           ///< what the quota grants all direct askers together, for Ration
};

/// A source as its operator sees it.
class SourceFacts {
 public:
  SourceFacts() {}
  std::string key;           ///< `tpu/PROJECT/ZONE`; of one that is told of changes: `told/TARGET`
  bool supports_watch = false;
  std::size_t targets = 0;   ///< that are followed by it
  std::optional<SteadyTime> polled_at;  ///< when the last look began that had an answer
  std::size_t requests_a_minute = 0;    ///< of the last minute, as far as the service counts them: about
  std::size_t quota_a_minute = 0;       ///< what it keeps to
  std::string trouble;       ///< of the last look; empty: none
  std::string asked_by;      ///< of several replicas the one that asks it: where it serves, or its id; empty: this one
};

/// What one of several services that share a store has done.
class ReplicaNumbers {
 public:
  ReplicaNumbers() {}
  std::size_t replicas = 0;  ///< that are there, this one among them
  std::size_t sources = 0;   ///< that this one asks
  // By reason or outcome, a literal.
  std::map<std::string_view, std::uint64_t> ownership_changes;
  std::map<std::string_view, std::uint64_t> commits;
  std::map<std::string_view, std::uint64_t> watch_restarts;
};

class Fleet {
 public:
  virtual ~Fleet() = default;
  /// The topic of a target whose project and zone stand in it, as check_served() has it (which is the caller's to ask). It is not followed
  /// until somebody listens. One that nobody has listened to for an hour is forgotten, earlier where room is needed, unless it is held.
  /// Errors: invalid_argument, as make_resolver(); limit_exceeded: max_targets are followed, or the text has more than 4,096 bytes;
  /// cancelled: after close().
  virtual Result<std::shared_ptr<Topic>> topic(const Target& target) = 0;
  virtual std::vector<std::shared_ptr<Topic>> topics() const = 0;
  /// There is a topic of it.
  virtual bool has_topic(const Target& target) const = 0;
  /// By key.
  virtual std::vector<SourceFacts> sources() const { return {}; }
  /// None: it is the only one.
  virtual std::optional<ReplicaNumbers> replica_numbers() const { return std::nullopt; }
  /// Of the last change of any topic. Revisions count all topics' changes.
  virtual Position position() const = 0;
  /// How clients shall ask by themselves when the service is lost, as things are now.
  virtual FallbackSchedule fallback_schedule() const = 0;
  /// What is charged for statuses and their changes.
  virtual std::size_t memory_bytes() const noexcept = 0;
  virtual const Runtime& runtime() const noexcept = 0;
  /// Why it cannot serve well now; empty: it can.
  virtual std::string fault() const { return {}; }
  /// Where it serves, for operators of others that serve the same; called once, when that is known.
  virtual void serves_at(const std::string& url) { (void)url; }
  /// Before its end: others that serve the same take over what it asks. It goes on to serve. Suspends, 3 s at most.
  virtual asio::awaitable<void> leave() { co_return; }
  /// Ends all following; topics stay as they are.
  virtual void close() = 0;
};

/// `runtime` asks the clouds; it must not go by a server itself. Each look has 30 s and no retries: the next look is the retry.
///
/// Memory is bounded: statuses and their last changes (64 KiB of them a target) are charged to an account of their own, so that all
/// together stay within Limits::max_memory_bytes; a status beyond it is trouble of its target, and the one before stays. Besides, a target
/// has a text of 4 KiB, 64 changes of phase, and a spec, which is smaller than its status, for max_targets targets.
std::shared_ptr<Fleet> make_fleet(Runtime runtime, FleetOptions options = {});

}  // namespace rollcall::fleet
