// What a status was before its last changes, so that who knows an older one can be told the difference. Pure.
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

/// What one place of a cluster held before a change.
class FormerMember {
 public:
  FormerMember() {}
  std::string job;
  int index = 0;
  std::optional<Member> member;  ///< absent: nobody
};

/// A change of status, as far as it matters to those who follow.
class StatusStep {
 public:
  /// From what StatusDiff says.
  explicit StatusStep(std::vector<ClusterChange> changes);
  std::vector<FormerMember> former;       ///< of each place that is different now
  bool has_another_membership = false;  ///< among those that are ready: job, index, address or uid
  /// Where a member that was ready has gone, or lost its address, and nobody says why: an answer that is not whole looks like this.
  std::set<std::pair<std::string, int>> forgotten;
};

/// What looks forget is believed once two of them agree, or the third in a row that forgets something.
class Unconfirmed {
 public:
  Unconfirmed() {}
  /// Of a look that forgets these. True: it is not believed.
  bool holds(std::set<std::pair<std::string, int>> forgotten);
  /// Of a look that says that there is nothing at all.
  bool holds_whole();
  void end() noexcept { *this = Unconfirmed(); }

 private:
  static constexpr int max_polls = 2;
  std::set<std::pair<std::string, int>> forgotten_;  // by the last look
  bool is_whole_forgotten_ = false;
  int polls_ = 0;  // in a row
};

/// The last changes of one status: at most 1,024 places and 64 KiB.
class RecentChanges {
 public:
  RecentChanges() {}
  /// At `revision` the status became another one by `former`.
  void add(std::uint64_t revision, std::vector<FormerMember> former);
  /// Of the status at `revision` nothing before is known.
  void restart(std::uint64_t revision);
  /// What differs between the status at `revision` and `now`, the present one. None: that is not known any more.
  std::optional<StatusDelta> since(std::uint64_t revision, const ClusterStatus& now) const;
  /// Of memory, about.
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

/// What a member takes in memory, about.
std::size_t memory_of(const Member& member) noexcept;

}  // namespace rollcall::fleet
