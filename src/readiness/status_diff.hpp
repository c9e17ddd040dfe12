// Compares two statuses of a cluster, and two lists of its missing members. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cluster/place_order.hpp"
#include "rollcall/log.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"

namespace rollcall {

/// A comparison in steps, so that the event loop can run in between. Both statuses must outlive it and must not change.
class StatusDiff {
 public:
  StatusDiff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at);

  /// Compares the next `members` members; false if none are left.
  bool step(std::size_t members);
  /// Members that left, joined and changed, in that order, and new notices. Call it after the last step.
  std::vector<ClusterChange> take_changes();

 private:
  void compare_former(const Place& place);
  void compare_present(const Place& place);
  void compare_notices();

  const ClusterStatus& before_;
  const ClusterStatus& now_;
  SteadyTime at_;
  std::vector<Place> old_places_;
  std::vector<Place> new_places_;
  std::size_t next_ = 0;   // index into the old places, then the new ones
  std::size_t other_ = 0;  // position in the other list
  std::vector<ClusterChange> left_;
  std::vector<ClusterChange> joined_;
  std::vector<ClusterChange> changed_;
};

/// Compares the members that were missing at the last poll with those that are missing now.
class MissingDiff {
 public:
  /// Called for members that are newly missing or missing for another reason, and for members that are no longer missing. A part of a run
  /// of places has its own label.
  using OnWaiting = std::function<void(const MemberRange& members, const std::string& label, const std::string& why)>;
  using OnReady = std::function<void(const MemberRange& members, const std::string& label)>;

  /// `step()` sets `since` in `now`: the old value if the reason is the same, else `at`. Both lists must outlive this object and must not
  /// change otherwise. Empty functions are not called.
  MissingDiff(const std::vector<MissingMember>& before, std::vector<MissingMember>& now, SteadyTime at, OnWaiting on_waiting,
              OnReady on_ready);

  /// Compares the next `entries` entries; false if none are left.
  bool step(std::size_t entries);
  /// True if there is a new, changed or ended entry. Call it after the last step.
  bool has_changed() const noexcept { return has_changed_; }

 private:
  void compare_present(const Place& place);
  void compare_former(const Place& place);

  const std::vector<MissingMember>& before_;
  std::vector<MissingMember>& now_;
  SteadyTime at_;
  OnWaiting on_waiting_;
  OnReady on_ready_;
  std::vector<Place> old_places_;
  std::vector<Place> new_places_;
  std::size_t next_ = 0;  // index into the new places, then the old ones
  std::size_t other_ = 0;  // position in the other list
  bool has_changed_ = false;
};

}  // namespace rollcall
