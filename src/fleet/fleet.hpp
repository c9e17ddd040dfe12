// The targets that are followed for others: each asked for once, however many want to know. All calls on the Runtime's executor.
#pragma once

#include <memory>
#include <string>
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
  Duration longest_pause = std::chrono::seconds(10);
  int looks_a_minute = 300;                           ///< what the quota grants all direct askers together, for Ration
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
  /// Of the last change of any topic. Revisions count all topics' changes.
  virtual Position position() const = 0;
  /// How clients shall ask by themselves when the service is lost, as things are now.
  virtual Ration ration() const = 0;
  virtual const Runtime& runtime() const noexcept = 0;
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
