// What is known of one target: by the service that polls it, and by the replicas of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

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
  friend bool operator==(const PhaseChange&, const PhaseChange&) = default;
};
/// True if the later change repeats the earlier one.
inline bool is_same_phase(const PhaseChange& a, const PhaseChange& b) noexcept {
  return a.phase == b.phase && a.state == b.state && a.ready == b.ready && a.total == b.total;
}

}  // namespace rollcall::fleet
