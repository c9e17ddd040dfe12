// Missing members, grouped by job and reason. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rollcall/wait_progress.hpp"

namespace rollcall {

/// Points into the list that it was built from.
class MissingGroup {
 public:
  MissingGroup() {}
  std::vector<const MissingMember*> members;  ///< by index

  /// `worker 3-7, 9`, or for a single member `worker 17 (10.0.0.17:8470)`; at most a hundred runs.
  std::string who() const;
  const std::string& why() const noexcept { return members.front()->why; }
  std::int64_t count() const;
  /// Since when the first of them has been missing.
  SteadyTime begun() const;
  /// The worst state of the group.
  MemberState state() const;
};

/// The groups in the order of their first member in the list.
std::vector<MissingGroup> group_missing(const std::vector<MissingMember>& missing);
/// The same by job and the whole chain of causes, or by the reason where no cause is known.
std::vector<MissingGroup> group_by_chain(const std::vector<MissingMember>& missing);

}  // namespace rollcall
