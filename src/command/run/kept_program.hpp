// Keeps a program running: restarts it with the new cluster whenever its cluster has lost a member.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "command/process/restart_rule.hpp"
#include "command/process/supervisor.hpp"
#include "command/run/followed_cluster.hpp"
#include "launch/job_environment.hpp"

namespace rollcall::command {

class KeptProgram {
 public:
  /// `cluster` is open and leaves signals to this; `variables_of` makes the program's variables for a cluster. All must outlive this.
  KeptProgram(const Arguments& arguments, FollowedCluster& cluster, Program& program,
              std::function<Result<EnvironmentVariables>(const ReadyCluster&)> variables_of);

  /// Waits for the cluster, runs the program, and repeats that until restart_rule.hpp decides to end. Returns this command's exit code.
  int run();

 private:
  class Run;

  std::optional<int> await_and_start();
  void run_once();
  asio::awaitable<void> follow(std::shared_ptr<Run> run);
  void take(const News& news);
  void stop_for(StopReason reason, const std::string& why);
  ClusterCheck poll();
  std::optional<int> go_on(const RestartDecision& next);
  void pause(Duration time);
  double uniform() { return std::uniform_real_distribution<double>()(random_); }

  const Arguments& arguments_;
  FollowedCluster& cluster_;
  Program& program_;
  std::function<Result<EnvironmentVariables>(const ReadyCluster&)> variables_of_;
  CommandSession& session_;
  Supervisor supervisor_;
  RestartRule rule_;
  Duration grace_;
  asio::steady_timer pause_;
  std::minstd_rand random_;
  StartedCluster started_;  ///< the cluster of the current run
  int largest_ = 0;         ///< the largest number of members so far; 0: the program has not run yet
  RunEnd end_;              ///< of that run, as far as it is known
  std::string why_;         ///< why the run ended, or is to end
};

}  // namespace rollcall::command
