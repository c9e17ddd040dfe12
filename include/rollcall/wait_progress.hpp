// The progress of a wait, and the missing members. No I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// A member that is not ready, why, and since when; or a run of vacant places of any length as one entry.
class MissingMember {
 public:
  MissingMember() {}
  Member member;    ///< of a run: its first place
  int count = 1;    ///< how many places from member.index on; over 1: all are vacant
  std::string why;  ///< `connection refused`, `CREATING`, `no address yet`
  SteadyTime since{};         ///< when it was noticed; of a run: since the first of its places has been missing
  Duration unheard_before{};  ///< how long the state had lasted when it was noticed: a time-out is noticed at its end
  SteadyTime begun() const noexcept { return since - unheard_before; }

  int last_index() const noexcept { return member.index + (count - 1); }
  /// `worker 17 (10.0.0.17:8470)`, `worker 17-65535`.
  std::string label() const;
};

/// The progress of a wait. A new object at every change.
class WaitProgress {
 public:
  WaitProgress() {}
  SteadyTime at{};
  SteadyTime started{};
  ClusterStatus status;
  int ready = 0;
  int listed = 0;  ///< how many of those are only listed and were not contacted
  int total = 0;  ///< 0: not known yet
  std::vector<MissingMember> missing;
  std::string trouble;  ///< why the last request to the service failed; empty: it succeeded

  /// `31/32 ready · waiting for worker 17 (10.0.0.17:8470): connection refused for 2 m 10 s`.
  std::string line() const;
  /// `31/32 ready`; `2/2 listed, not asked` for members that were not contacted. `of` is put between the numbers.
  std::string count_text(std::string_view of = "/") const;
  /// The missing members and their state, grouped by state: `worker 3-7, 9: CREATING; …`; at most a hundred states, and a hundred runs of
  /// each.
  std::string missing_text() const;
};

}  // namespace rollcall
