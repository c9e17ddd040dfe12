// One task at a barrier: says hello to those that keep the roll, again and again, until it is released.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "call/runtime_impl.hpp"
#include "meeting/gatherer.hpp"
#include "meeting/member_guard.hpp"
#include "meeting/roll_server.hpp"
#include "meeting/rules/meeting_tasks.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/barrier.hpp"
#include "rollcall/call.hpp"

namespace rollcall::meeting {

/// Serves `handler` at the address of a task of this host until the returned object is destroyed. `bodies`: how much of a body is read.
using Listen = std::function<Result<std::shared_ptr<void>>(HttpServer::Handler handler, HttpServer::BodyRule bodies, const Endpoint& at)>;

BarrierAbsence absence_of(const MissingTask& missing);

class Attendance {
 public:
  /// `own`: a place in `tasks`. `guard`: of this task's port, with the secret if there is one. `service` keeps the roll; null: some of the
  /// tasks do. All references outlive it.
  Attendance(Runtime::Impl& runtime, const std::vector<MeetingTask>& tasks, std::size_t own, const BarrierOptions& options, Listen listen,
             std::shared_ptr<MemberGuard> guard, const std::shared_ptr<RemoteServers>& service = nullptr);

  /// From now on the meeting is over where a task that keeps the roll has ended it: attend() fails.
  void end_with_keeper() { ends_with_keeper_ = true; }

  /// As try_barrier(), which has checked the tasks.
  asio::awaitable<Result<BarrierRelease>> attend(Call& call);

 private:
  /// What is known of a task, or of a server of the service, that keeps the roll.
  class Keeper {
   public:
    explicit Keeper(RollServer at) : server(std::move(at)) {}
    RollServer server;
    bool is_own = false;  // it is this task
    std::int64_t sequence = 0;
    std::optional<RollAnswer> answer;  // its last one
    SteadyTime answered_at{};
    std::string trouble;  // why it cannot be asked since
    bool has_other_secret = false;
  };
  enum class Outcome { released, too_late };

  Result<void> open();
  asio::awaitable<Result<Outcome>> wait_for_end(SteadyTime until);
  asio::awaitable<Result<void>> ask_all(Call& call);
  asio::awaitable<Result<void>> keep_asking(Call& call, std::size_t keeper);
  asio::awaitable<Result<RollAnswer>> ask(Call& call, Keeper& keeper, Stage stage);
  asio::awaitable<Result<void>> say_last(Call& call, std::size_t keeper, Stage stage);
  asio::awaitable<void> say_last_to_all(Call& call, Stage stage);
  void show();
  BarrierProgress progress() const;
  Failure failure() const;
  Failure taken(std::string_view by) const;
  Endpoint meeting_point(std::size_t task) const;

  Runtime::Impl& runtime_;
  const std::vector<MeetingTask>& tasks_;
  const std::size_t own_;
  const BarrierOptions& options_;
  const Listen listen_;
  const std::shared_ptr<MemberGuard> guard_;
  const bool is_at_service_;
  const std::vector<StageSpan> stages_;
  const std::string run_;
  const std::string incarnation_;
  std::string task_list_;  // for a service
  std::vector<Keeper> keepers_;
  std::string left_why_ = "its time to wait was over";
  std::shared_ptr<Gatherer> gatherer_;  // null: this task keeps no roll
  std::shared_ptr<void> listening_;
  AsyncEvent over_;
  bool is_released_ = false;
  bool ends_with_keeper_ = false;
  std::int64_t generation_;  // the least that the start may have; once it is released: that of the start
  std::optional<BarrierProgress> shown_;  // without times
  SteadyTime shown_at_{};
};

}  // namespace rollcall::meeting
