// The cluster that a program was started in, and what of it is not so any more. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "launch/job_environment.hpp"
#include "rollcall/cluster_change.hpp"

namespace rollcall::command {

/// What a program that talks to its peers cannot go on with.
class Loss {
 public:
  Loss(std::string words, bool recreated = false) : why(std::move(words)), is_recreated(recreated) {}
  std::string why;
  bool is_recreated;  ///< somebody is in the member's place already
};

class StartedCluster {
 public:
  StartedCluster() {}
  explicit StartedCluster(const ClusterStatus& status);

  /// Whether a change of the cluster takes a member away: one that leaves, is lost or stopped, or whose place is another machine's or has
  /// another address. A member that has ended with success is no loss: at a job's end some are done before others.
  std::optional<Loss> loss_by(const ClusterChange& change) const;
  /// The same of all members at once, the first that is found.
  std::optional<Loss> loss_in(const ClusterStatus& now) const;
  /// The same, once the program has failed: then a member that was ready and is not any more counts, too.
  std::optional<Loss> loss_behind_failure(const ClusterStatus& now) const;
  /// Whether a change brings a member, ready, for whom there was no place.
  bool is_grown_by(const ClusterChange& change) const;
  /// Who is in the place of `member` from now on.
  void replace(const Member& member) { members_[{member.job, member.index}] = member; }

 private:
  enum class Trust { running, failed };
  const Member* find(const Member& member) const;
  std::optional<Loss> loss_among(const ClusterStatus& now, Trust program) const;

  std::map<std::pair<std::string, int>, Member> members_;
};

/// The cluster of those that are ready, numbered from 0 in each job, as an elastic job counts its ranks; `task` is given its new number.
/// Errors: not_ready: `task` is not among them.
Result<ClusterSpec> renumber(const ClusterSpec& spec, std::optional<LaunchedTask>& task);

}  // namespace rollcall::command
