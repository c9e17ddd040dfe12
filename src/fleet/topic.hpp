// What the service knows of one target, and its listeners.
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

/// True if a reader cannot distinguish the failures.
bool is_same_failure(const Failure& a, const Failure& b) noexcept;

/// What is known at one moment. Cheap to copy.
class Known {
 public:
  Known() {}
  /// The last one; null: there was none yet.
  std::shared_ptr<const ClusterStatus> status;
  /// The result of the last poll if another poll cannot change it, or if the target does not exist; `status` is older then.
  std::shared_ptr<const Failure> failure;
  /// Why the last poll had no answer; empty: it had an answer.
  std::string trouble;
  /// The result of cluster_spec() while a listener wants it; null: not known yet. May be older than `status`; see spec_seen_at().
  std::shared_ptr<const Result<ClusterSpec>> spec;
  bool is_spec_old = false;                    ///< the status has changed since that call
  std::optional<SteadyTime> spec_polled_at;    ///< when that call began
  std::uint64_t spec_generation = 0;           ///< `generation` then

  std::uint64_t epoch = 0;          ///< of all revisions here; see Position
  std::uint64_t revision = 0;       ///< of the last change of status, failure or trouble
  std::uint64_t own_troubles = 0;   ///< counts changes of `trouble` without a revision: reported by this replica alone
  std::uint64_t spec_revision = 0;  ///< of the last change of spec
  std::uint64_t generation = 0;     ///< counts changes of the ready membership: job, index, address, uid
  /// When the last poll began that had an answer, failures included. A poll is not believed and does not count if it lacks a member that
  /// was ready, or the whole target, without a reason; the next poll must agree.
  std::optional<SteadyTime> polled_at;
};

/// How recent the spec is. A failure is as old as its call, since polls of the status do not show whether it still holds.
inline std::optional<SteadyTime> spec_seen_at(const Known& known) noexcept {
  const bool is_by_status = !known.spec || (known.spec->has_value() && !known.is_spec_old);
  return is_by_status ? known.polled_at : known.spec_polled_at;
}
/// The generation of the membership that the spec names.
inline std::uint64_t generation_of_spec(const Known& known) noexcept {
  return known.is_spec_old ? known.spec_generation : known.generation;
}

/// A change of phase, or of the number of ready members in it.
class PhaseChange {
 public:
  PhaseChange() {}
  WallTime when{};
  ClusterPhase phase = ClusterPhase::running;
  std::string state;
  int ready = 0;
  int total = 0;
};

/// Is notified of a topic's changes, on the Runtime's executor, within the change: it must only wake a waiting coroutine. Unlinks itself
/// when destroyed.
class TopicListener : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  TopicListener() {}
  TopicListener(const TopicListener&) = delete;
  TopicListener& operator=(const TopicListener&) = delete;
  virtual ~TopicListener() = default;
  /// Something of Known has changed, or a poll had an answer that changed nothing.
  virtual void on_topic() noexcept = 0;
  virtual bool wants_spec() const noexcept { return false; }
  /// The number of followers that it stands for.
  virtual std::size_t followers() const noexcept { return 1; }
};

class Topic {
 public:
  virtual ~Topic() = default;
  virtual const std::string& target() const noexcept = 0;  ///< its text
  virtual const Known& known() const noexcept = 0;
  /// The difference between the status at `revision` of the present epoch and the present status. None: it is not known any more, or is too
  /// large.
  virtual std::optional<StatusDelta> since(std::uint64_t revision) const = 0;
  virtual const std::deque<PhaseChange>& history() const noexcept = 0;
  /// The followers of all listeners together.
  virtual std::size_t listeners() const noexcept = 0;
  /// True if it is polled: it has a listener, or had one recently.
  virtual bool is_followed() const noexcept = 0;
  /// Adds a listener. From now on the target is followed, and for some time after the listener's end.
  virtual void listen(TopicListener& listener) = 0;
  /// Notes that this client asks for the topic: an identity or an address; empty: clients are not distinguished. When the memory of the
  /// fleet is used up, what is known of the topic counts as taken by this client.
  virtual void name(const std::string& client) { (void)client; }
  /// Requests a poll soon, but at most every two seconds. on_topic() reports the result.
  virtual void refresh_soon() = 0;
};

}  // namespace rollcall::fleet
