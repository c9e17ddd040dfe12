// The cluster that wait, exec and watch follow: all targets as one, and no progress but theirs.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "command/show/wait_display.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/wait.hpp"

namespace rollcall::command {

/// A cluster that is ready, and what has to be known to start something in it.
class ReadyCluster {
 public:
  ReadyCluster() {}
  ClusterStatus status;
  LaunchFacts facts;  ///< empty, unless forms were named
};

class FollowedCluster {
 public:
  /// `arguments` must outlive it.
  explicit FollowedCluster(const Arguments& arguments) : arguments_(arguments), session_(arguments, 1) {}

  /// 0; else what went wrong was said on standard error, and this is its exit code.
  int open();
  /// As the arguments say, telling all the while who is missing; after open(). Then, in what is left of --timeout, what the `forms` use is
  /// asked for (command/ask/launch_facts.hpp), and with --probe the coordinator is tried. `former`: of how many members it was when it was
  /// awaited before, and 0 the first time; that many are awaited again, unless the arguments say how many. None: interrupted.
  std::optional<Result<ReadyCluster>> wait(const std::vector<LaunchFormat>& forms, int former = 0);

  CommandSession& asking() noexcept { return session_; }
  const std::shared_ptr<ClusterResolver>& resolver() const noexcept { return resolver_; }  ///< after open()

 private:
  asio::awaitable<Result<ReadyCluster>> wait_and_ask(WaitOptions options, std::vector<LaunchFormat> forms, WaitDisplay& display);

  const Arguments& arguments_;
  CommandSession session_;
  std::vector<ClusterPart> parts_;
  std::shared_ptr<ClusterResolver> resolver_;
};

}  // namespace rollcall::command
