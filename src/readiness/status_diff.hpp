// What is different between two looks: at a cluster, and at who is missing of it. Pure.
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

/// A comparison in the making, for a loop that has other things to do as well. Both looks must outlive it and stay as they are.
class StatusDiff {
 public:
  StatusDiff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at);

  /// Compares so many members more; false: there are none.
  bool step(std::size_t members);
  /// Members that left, joined and changed, in that order, and notices that are new; after the last step.
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
  std::size_t next_ = 0;   // of the old places, then of the new ones
  std::size_t other_ = 0;  // where the other list is
  std::vector<ClusterChange> left_;
  std::vector<ClusterChange> joined_;
  std::vector<ClusterChange> changed_;
};

/// What is new between those who were missing at the last look and those who are now.
class MissingDiff {
 public:
  /// Told of who waits anew, or for another reason, and of who is missing no more; a part of a run of places is told as such.
  using OnWaiting = std::function<void(const MemberRange& members, const std::string& label, const std::string& why)>;
  using OnReady = std::function<void(const MemberRange& members, const std::string& label)>;

  /// `step()` fills in `since` in `now`: as it was, where the reason is the same, else `at`. Both lists must outlive this and stay as they
  /// are. Functions that are empty are not called.
  MissingDiff(const std::vector<MissingMember>& before, std::vector<MissingMember>& now, SteadyTime at, OnWaiting on_waiting,
              OnReady on_ready);

  /// Compares so many entries more; false: there are none.
  bool step(std::size_t entries);
  /// Whether anybody waits anew, for another reason, or no more; after the last step.
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
  std::size_t next_ = 0;  // of the new places, then of the old ones
  std::size_t other_ = 0;  // where the other list is
  bool has_changed_ = false;
};

}  // namespace rollcall
