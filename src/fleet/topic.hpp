// What the service knows of one target, and who wants to hear of it.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/wire/documents.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// The same failure, for whoever it is told to.
bool is_same_failure(const Failure& a, const Failure& b) noexcept;

/// What is known at a moment. Cheap to copy.
class Known {
 public:
  Known() {}
  /// The last one seen; null: none was.
  std::shared_ptr<const ClusterStatus> status;
  /// What the last look came to, where asking again cannot mend it, or the target does not exist; `status` is older then.
  std::shared_ptr<const Failure> failure;
  /// Why the last look had no answer; empty: it had one.
  std::string trouble;
  /// As cluster_spec() answered, while a listener wants it; null: not asked yet. May be older than `status`; see spec_seen_at().
  std::shared_ptr<const Result<ClusterSpec>> spec;
  bool is_spec_old = false;                    ///< the status has changed since the spec was asked for
  std::optional<SteadyTime> spec_polled_at;    ///< when that question began
  std::uint64_t spec_generation = 0;           ///< `generation` then

  std::uint64_t revision = 0;       ///< of the last change of status, failure or trouble
  std::uint64_t own_troubles = 0;   ///< counts changes of `trouble` that have no revision: what this replica alone has to tell
  std::uint64_t spec_revision = 0;  ///< of the last change of spec
  std::uint64_t generation = 0;     ///< counts changes of the ready membership: job, index, address, uid
  /// When the last look began that had an answer, failure included. A look in which a member that was ready, or the whole target, is
  /// missing without a word about it is not believed, and counts for nothing, until the next one agrees.
  std::optional<SteadyTime> polled_at;
};

/// When the spec was as it is told: a failure when it was asked for, since no look at the status shows what has become of it.
inline std::optional<SteadyTime> spec_seen_at(const Known& known) noexcept {
  const bool is_by_status = !known.spec || (known.spec->has_value() && !known.is_spec_old);
  return is_by_status ? known.polled_at : known.spec_polled_at;
}
/// Of those whom the spec names.
inline std::uint64_t generation_of_spec(const Known& known) noexcept {
  return known.is_spec_old ? known.spec_generation : known.generation;
}

/// A change of phase, or of how many are ready in it.
class PhaseChange {
 public:
  PhaseChange() {}
  WallTime when{};
  ClusterPhase phase = ClusterPhase::running;
  std::string state;
  int ready = 0;
  int total = 0;
};

/// Hears of a topic. Told on the Runtime's executor, within the change: it must only wake somebody. Unlinks itself when destroyed.
class TopicListener : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  TopicListener() {}
  TopicListener(const TopicListener&) = delete;
  TopicListener& operator=(const TopicListener&) = delete;
  virtual ~TopicListener() = default;
  /// Something of Known has changed, or a look had an answer that changed nothing.
  virtual void on_topic() noexcept = 0;
  virtual bool wants_spec() const noexcept { return false; }
  /// How many it listens for.
  virtual std::size_t followers() const noexcept { return 1; }
};

class Topic {
 public:
  virtual ~Topic() = default;
  virtual const std::string& target() const noexcept = 0;  ///< its text
  virtual const Known& known() const noexcept = 0;
  /// What differs between the status at `revision` and the present one. None: that is not known any more, or it is too much.
  virtual std::optional<StatusDelta> since(std::uint64_t revision) const = 0;
  virtual const std::deque<PhaseChange>& history() const noexcept = 0;
  /// Followers of all listeners together.
  virtual std::size_t listeners() const noexcept = 0;
  /// It is asked for: somebody listens, or did a while ago.
  virtual bool is_followed() const noexcept = 0;
  /// From now on the target is followed, for a while longer than the listener lives.
  virtual void listen(TopicListener& listener) = 0;
  /// This client asks for it: an identity or an address; empty: clients are not told apart. What is known of it counts as taken by that
  /// client where the memory of all is used up.
  virtual void name(const std::string& client) { (void)client; }
  /// Has its source looked at soon, though not more often than every two seconds. on_topic() tells that it was.
  virtual void refresh_soon() = 0;
};

}  // namespace rollcall::fleet
