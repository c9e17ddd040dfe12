// The cluster that wait, exec and watch follow: all targets as one, with a progress display of its own.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "command/run/command_session.hpp"
#include "command/run/own_stages.hpp"
#include "command/show/wait_display.hpp"
#include "rollcall/barrier.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/wait.hpp"

namespace rollcall::command {

/// A ready cluster, and the facts that are needed to start a program in it.
class ReadyCluster {
 public:
  ReadyCluster() {}
  ClusterStatus status;
  std::optional<std::int64_t> generation;  ///< of the start, by the barrier
  LaunchFacts facts;  ///< empty, unless forms were named; with --min-members of the ready members, numbered from 0
};

class FollowedCluster {
 public:
  /// `arguments` must outlive it.
  explicit FollowedCluster(const Arguments& arguments) : arguments_(arguments), session_(arguments, 1) {}

  /// 0; otherwise the exit code of a failure that was printed.
  int open();
  /// Waits as the arguments say, and shows the missing members meanwhile; call it after open(). Then asks, within the rest of --timeout,
  /// for the facts that the `forms` use (command/ask/launch_facts.hpp), and with --probe tests the coordinator. `former`: the number of
  /// members in the wait before, 0 the first time; that many are awaited again, unless the arguments set a number. None: interrupted.
  std::optional<Result<ReadyCluster>> wait(const std::vector<LaunchFormat>& forms, int former = 0);
  /// With --preflight or --barrier: the last thing that may fail on this host alone, before the others are met. Call it before wait().
  void check_before_meeting(std::function<Result<void>(const ReadyCluster&)> check) { before_meeting_ = std::move(check); }
  /// wait() has failed by the verdict of --preflight.
  bool has_failed_preflight() const noexcept { return has_failed_preflight_; }

  CommandSession& asking() noexcept { return session_; }
  const std::shared_ptr<ClusterResolver>& resolver() const noexcept { return resolver_; }  ///< after open()

 private:
  class BarrierWatch;

  asio::awaitable<Result<ReadyCluster>> wait_and_ask(WaitOptions options, std::vector<LaunchFormat> forms, WaitDisplay& display,
                                                     const QuestionOptions& shared);
  asio::awaitable<Result<ReadyCluster>> wait_and_meet(std::vector<LaunchFormat> forms, int former, std::optional<WaitDisplay>& display);
  Result<void> check_own_part(const ReadyCluster& ready) const;
  asio::awaitable<Result<void>> check_all(const ReadyCluster& ready, const QuestionOptions& shared);
  asio::awaitable<Result<BarrierRelease>> meet(const ReadyCluster& ready, CallOptions options);
  Result<void> check_halves(const ReadyCluster& ready) const;
  void begin_display(std::optional<WaitDisplay>& display);

  const Arguments& arguments_;
  CommandSession session_;
  std::vector<ClusterPart> parts_;
  std::shared_ptr<ClusterResolver> resolver_;
  std::function<Result<void>(const ReadyCluster&)> before_meeting_;
  OwnStages stages_;  // with --barrier
  bool has_failed_preflight_ = false;
  std::int64_t generation_ = 0;  // of the last start, by the barrier
};

}  // namespace rollcall::command
