// One replica's part in the lease: what it knows of the record, whether it leads, and what it does next. No I/O.
//
// Decision: as Kubernetes' leader election, no engine's clock counts. A record is free when its version has not changed for its TTL, as
// watched by this replica's own clock. The holder stops 2 s before that could be so anywhere: its TTL counts from when its last good
// renewal began, by a clock that goes on while the machine is suspended. A record that was never taken, or is older than what is known
// already (a backup that was restored), may hide a holder that still leads: it is free after a TTL, too. One that is missing has no version
// that could be watched, so it is created first, as never taken. A record is free at once if its holder has released it, or is this replica
// itself, whose writes were not answered, or not in time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/backoff.hpp"
#include "lease/wire/lease_record.hpp"

namespace rollcall::lease {

inline constexpr Duration margin = std::chrono::seconds(2);  ///< between the end of the holder and the next taking
inline constexpr Duration pause_between_reads = std::chrono::seconds(1);

class Candidacy {
 public:
  enum class Step { wait, read, create, take, renew, release };
  Candidacy(std::string id, Duration ttl);

  // What to do, and when. Times never go back.
  Step step(SteadyTime now) const;
  SteadyTime due(SteadyTime now) const;
  /// The record to write, by any step but wait and read.
  LeaseRecord record_for(Step step, WallTime wall) const;

  // How it ended, and when it began. `uniform`: in [0, 1), so that replicas do not ask in step.
  void on_read(LeaseRecord record, SteadyTime began, SteadyTime now, double uniform);
  void on_written(Step step, LeaseRecord record, SteadyTime began, SteadyTime now);
  void on_conflict(SteadyTime now, double uniform);
  void on_failure(SteadyTime now, double uniform);

  void serves_at(std::string url);
  void saw_epoch(std::uint64_t epoch, SteadyTime now);
  /// Leads no more, gives the lease back, and never takes it again.
  void leave() { is_leaving_ = true; }
  bool has_left(SteadyTime now) const { return is_leaving_ && !holds(now); }

  bool leads(SteadyTime now) const { return holds(now) && !is_leaving_; }
  /// Until then this replica leads unless it renews.
  SteadyTime leads_until() const { return held_epoch_ == 0 ? SteadyTime::max() : until_; }
  std::uint64_t highest_epoch() const { return highest_; }
  /// As the engine said last; none: it was not read yet.
  const std::optional<LeaseRecord>& seen() const { return seen_; }

 private:
  bool holds(SteadyTime now) const { return held_epoch_ != 0 && now < until_; }
  SteadyTime free_at() const;
  void hear(LeaseRecord record, SteadyTime began, SteadyTime now);

  const std::string id_;
  const Duration ttl_;
  std::string url_;
  std::optional<LeaseRecord> seen_;
  bool is_known_ = false;  // false: a write may have happened since, so read first
  SteadyTime since_;  // from then on the record had this version
  SteadyTime asked_at_;  // when the question of the last answer began
  std::uint64_t highest_ = 0;
  std::uint64_t held_epoch_ = 0;  // 0: this replica does not hold it
  SteadyTime until_;
  SteadyTime renew_at_;
  SteadyTime read_at_ = SteadyTime::min();
  SteadyTime rest_until_ = SteadyTime::min();
  bool is_leaving_ = false;
  ExponentialBackoff after_failure_;
};

}  // namespace rollcall::lease
