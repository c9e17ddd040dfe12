// The cluster that a program was started in, and which of its members are lost since. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "launch/job_environment.hpp"
#include "rollcall/cluster_change.hpp"

namespace rollcall::command {

/// A change after which a program that talks to its peers cannot continue.
class Loss {
 public:
  Loss(std::string words, bool recreated = false) : why(std::move(words)), is_recreated(recreated) {}
  std::string why;
  bool is_recreated;  ///< the member's place is already taken again
};

class StartedCluster {
 public:
  StartedCluster() {}
  explicit StartedCluster(const ClusterStatus& status);

  /// Whether a change takes a member away: it leaves, is lost or stopped, or its place has another machine or another address. A member
  /// that ended with success is not a loss: at the end of a job some members finish before others.
  std::optional<Loss> loss_by(const ClusterChange& change) const;
  /// The same for all members at once; returns the first loss.
  std::optional<Loss> loss_in(const ClusterStatus& now) const;
  /// The same after the program has failed: then a member that was ready and no longer is counts, too.
  std::optional<Loss> loss_behind_failure(const ClusterStatus& now) const;
  /// Whether a change brings a ready member that has no place in the cluster yet.
  bool is_grown_by(const ClusterChange& change) const;
  /// Sets the member that has the place of `member` from now on.
  void replace(const Member& member) { members_[{member.job, member.index}] = member; }

 private:
  enum class Trust { running, failed };
  const Member* find(const Member& member) const;
  std::optional<Loss> loss_among(const ClusterStatus& now, Trust program) const;

  std::map<std::pair<std::string, int>, Member> members_;
};

/// The cluster of the ready members, numbered from 0 in each job, as an elastic job counts its ranks; `task` gets its new number. Errors:
/// not_ready: `task` is not among them.
Result<ClusterSpec> renumber(const ClusterSpec& spec, std::optional<LaunchedTask>& task);

}  // namespace rollcall::command
