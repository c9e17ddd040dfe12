// A task that keeps the roll: answers those who come, and looks for those who do not.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call/runtime_impl.hpp"
#include "meeting/member_guard.hpp"
#include "meeting/roll_keeper.hpp"
#include "meeting/rules/meeting_tasks.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/call.hpp"

namespace rollcall::meeting {

class Gatherer : public std::enable_shared_from_this<Gatherer> {
 public:
  /// `own`: the place of the task that keeps this roll. `guard`: of its port.
  Gatherer(std::shared_ptr<Runtime::Impl> runtime, std::vector<MeetingTask> tasks, std::size_t own, std::string run,
           std::shared_ptr<MemberGuard> guard);

  /// For the server: answers a task's hello when there is news. Requests in progress keep this object alive.
  HttpServer::Handler handler();
  /// How much of a body the server reads.
  HttpServer::BodyRule bodies();
  /// The same for the own task: the answer to its hello. Nothing: another process is here as this task.
  asio::awaitable<std::optional<RollAnswer>> hear_own(const Hello& hello);
  /// Looks, again and again, for tasks that have not come, at their addresses. Until cancelled.
  asio::awaitable<Result<void>> look_for_missing(Call& call);
  /// Suspends until all have heard of the release, until `patience` is over at most.
  asio::awaitable<void> wait_until_started(Duration patience) { return keeper_.wait_until_started(patience); }

 private:
  static asio::awaitable<void> serve(std::shared_ptr<Gatherer> self, ServerExchange& exchange);
  asio::awaitable<void> answer(ServerExchange& exchange);
  std::optional<std::size_t> task_of(std::string_view path) const;
  void note_refusal(std::size_t task, MemberGuard::Speaker speaker, const std::string& from);
  asio::awaitable<Result<void>> look_for(Call& call, std::size_t task);

  const std::shared_ptr<Runtime::Impl> runtime_;
  const std::vector<MeetingTask> tasks_;
  const std::size_t own_;
  const std::string run_;
  const std::shared_ptr<MemberGuard> guard_;
  RollKeeper keeper_;
};

}  // namespace rollcall::meeting
