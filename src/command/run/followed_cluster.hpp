// The cluster that wait, exec and watch follow: all targets as one, and no progress but theirs.
#pragma once

#include <memory>
#include <optional>

#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::tools {

class FollowedCluster {
 public:
  /// `arguments` must outlive it.
  explicit FollowedCluster(const Arguments& arguments) : arguments_(arguments), asking_(arguments, 1) {}

  /// 0; else what went wrong was said on standard error, and this is its exit code.
  int open();
  /// As the arguments say, telling all the while who is missing; after open(). `former`: of how many members it was when it was awaited
  /// before, and 0 the first time; that many are awaited again, unless the arguments say how many. None: interrupted.
  std::optional<Result<ClusterStatus>> wait(int former = 0);

  /// As ask_launch_facts() of command/ask/launch_facts.hpp, and with --probe the coordinator is tried, once wait() is over. A signal ends
  /// the process.
  Result<LaunchFacts> ask_launch_facts(const ClusterSpec& spec, const std::vector<LaunchFormat>& forms);

  CommandSession& asking() noexcept { return asking_; }
  const std::shared_ptr<ClusterResolver>& resolver() const noexcept { return resolver_; }  ///< after open()

 private:
  const Arguments& arguments_;
  CommandSession asking_;
  std::vector<ClusterPart> parts_;
  std::shared_ptr<ClusterResolver> resolver_;
};

}  // namespace rollcall::tools
