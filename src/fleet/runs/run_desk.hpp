// The rolls of the barriers whose tasks meet at the service: which runs there are, and which of a run's rolls a hello is for.
#pragma once

#include <asio/awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call/runtime_impl.hpp"
#include "meeting/roll_keeper.hpp"
#include "net/server/rules/fair_shares.hpp"
#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// One list of tasks that starts together, again and again.
class Run {
 public:
  Run(std::shared_ptr<Runtime::Impl> runtime, std::string task_list, std::vector<std::string> names, std::string client)
      : tasks(std::move(task_list)), holder(std::move(client)), runtime_(std::move(runtime)), names_(std::move(names)),
        begun_at_(runtime_->time->now()) {}

  const std::string tasks;   ///< write_task_list()
  const std::string holder;  ///< the client that its memory is counted for
  std::size_t size() const noexcept { return names_.size(); }
  /// The roll for the hello of that task: of the start that its process waits for.
  std::shared_ptr<meeting::RollKeeper> roll_for(std::size_t task, const meeting::Hello& hello);
  /// The roll of the start that was last waited for; null: none yet.
  const std::shared_ptr<meeting::RollKeeper>& latest() const noexcept { return latest_; }
  SteadyTime begun_at() const noexcept { return begun_at_; }  ///< when the first task came for that start
  SteadyTime heard_at{};

 private:
  std::shared_ptr<Runtime::Impl> runtime_;
  std::vector<std::string> names_;
  std::shared_ptr<meeting::RollKeeper> latest_;
  std::shared_ptr<meeting::RollKeeper> before_;  // released; null: no start was
  SteadyTime begun_at_;
};

class RunDesk {
 public:
  explicit RunDesk(std::shared_ptr<Runtime::Impl> runtime) : runtime_(std::move(runtime)) {}
  ~RunDesk();
  RunDesk(const RunDesk&) = delete;
  RunDesk& operator=(const RunDesk&) = delete;

  /// The run of that name, which begins with its first hello. `holder`: the client that its memory is counted for. Errors:
  /// malformed_response, failed_precondition: that run has other tasks; limit_exceeded.
  Result<std::shared_ptr<Run>> find_or_begin(std::string_view name, std::string_view tasks, const std::string& holder);
  /// Hellos that wait for an answer, by client: each is one from enter() to leave().
  FairShares& waiting() noexcept { return waiting_; }
  /// All runs, without those that no task has spoken of lately.
  std::vector<meeting::RunLine> lines();

  static constexpr std::size_t max_runs = 2000;

 private:
  void sweep();

  std::shared_ptr<Runtime::Impl> runtime_;
  std::map<std::string, std::shared_ptr<Run>, std::less<>> runs_;
  std::optional<SteadyTime> swept_at_;
  FairShares tasks_{1 << 17};
  FairShares waiting_{20'000};
};

}  // namespace rollcall::fleet
