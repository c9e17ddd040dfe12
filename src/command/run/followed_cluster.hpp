// The cluster that wait, exec and watch follow: all targets as one, and no progress but theirs.
#pragma once

#include <memory>
#include <optional>

#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "rollcall/own_task.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::tools {

class FollowedCluster {
 public:
  /// `arguments` must outlive it.
  explicit FollowedCluster(const Arguments& arguments) : arguments_(arguments), asking_(arguments, 1) {}

  /// 0; else what went wrong was said on standard error, and this is its exit code.
  int open();
  /// As the arguments say, telling all the while who is missing; after open(). None: interrupted.
  std::optional<Result<ClusterStatus>> wait();

  // As those of command/ask/own_task.hpp, once wait() is over. A signal ends the process.
  Result<OwnTask> find_own_task(const ClusterSpec& spec);
  Result<std::optional<OwnTask>> find_own_task_if_told(const ClusterSpec& spec);

  CommandSession& asking() noexcept { return asking_; }
  const std::shared_ptr<ClusterResolver>& resolver() const noexcept { return resolver_; }  ///< after open()

 private:
  // Runs the loop until there is an answer.
  template <class T>
  Result<T> answer_of(asio::awaitable<Result<T>> question);

  const Arguments& arguments_;
  CommandSession asking_;
  std::vector<ClusterPart> parts_;
  std::shared_ptr<ClusterResolver> resolver_;
};

}  // namespace rollcall::tools
