// The last changes of a status, from which the difference to an older status is made. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/wire/documents.hpp"
#include "rollcall/cluster_change.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall::fleet {

/// The member at one place of a cluster before a change.
class FormerMember {
 public:
  FormerMember() {}
  std::string job;
  int index = 0;
  std::optional<Member> member;  ///< absent: there was none
};

/// A change of status, as far as followers need it.
class StatusStep {
 public:
  /// From the changes of StatusDiff.
  explicit StatusStep(std::vector<ClusterChange> changes);
  std::vector<FormerMember> former;       ///< of each changed place
  bool has_another_membership = false;  ///< the ready membership changed: job, index, address or uid
  /// Members that were ready and are gone, or lost their address, without a reason: an incomplete answer looks like this.
  std::set<std::pair<std::string, int>> forgotten;
};

/// Members that polls lack count as gone once two polls agree, or at the third poll in a row that lacks some.
class Unconfirmed {
 public:
  Unconfirmed() {}
  /// For a poll that lacks these. True: it is not believed.
  bool holds(std::set<std::pair<std::string, int>> forgotten);
  /// For a poll that finds nothing at all.
  bool holds_whole();
  void end() noexcept { *this = Unconfirmed(); }

 private:
  static constexpr int max_polls = 2;
  std::set<std::pair<std::string, int>> forgotten_;  // in the last poll
  bool is_whole_forgotten_ = false;
  int polls_ = 0;  // in a row
};

/// The last changes of one status: at most 1,024 places and 64 KiB.
class RecentChanges {
 public:
  RecentChanges() {}
  /// At `revision` the status changed; `former` are the members before.
  void add(std::uint64_t revision, std::vector<FormerMember> former);
  /// Nothing is known of the time before the status at `revision`.
  void restart(std::uint64_t revision);
  /// Nothing is known any more, until restart().
  void forget() { restart(UINT64_MAX); }
  /// True if `revision` is one of add() or restart() that is not too long ago.
  bool has(std::uint64_t revision) const noexcept;
  /// The difference between the status at `revision` and `now`, the present one. None: it is not known any more.
  std::optional<StatusDelta> since(std::uint64_t revision, const ClusterStatus& now) const;
  /// Memory; approximate.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  class Entry {
   public:
    std::uint64_t revision = 0;
    std::vector<FormerMember> former;
    std::size_t bytes = 0;
  };
  std::deque<Entry> entries_;
  std::uint64_t known_from_ = UINT64_MAX;
  std::size_t places_ = 0;
  std::size_t bytes_ = 0;
};

/// The memory that a member takes; approximate.
std::size_t memory_of(const Member& member) noexcept;

}  // namespace rollcall::fleet
