// Keeps the roll of one barrier: takes the hellos of its tasks, and answers each when there is news.
#pragma once

#include <asio/awaitable.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "call/runtime_impl.hpp"
#include "meeting/member_guard.hpp"
#include "meeting/rules/roll.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::meeting {

/// How long an answer waits for news. More tasks ask more seldom: a roll answers at most about a thousand a second.
Duration answer_pause(std::size_t tasks) noexcept;

/// The path at which `task` says its hello, and what all these paths begin with.
std::string path_of_members(std::string_view run);
std::string path_of_hello(std::string_view run, std::size_t task);

class RollKeeper {
 public:
  /// `names`: of all tasks, in the order that everyone has.
  RollKeeper(std::shared_ptr<Runtime::Impl> runtime, std::vector<std::string> names);

  /// Puts the hello on the roll.
  Roll::Heard hear(std::size_t task, const Hello& hello, std::string_view from);
  /// After it was kept: waits until there is news for that task, and answers. A client that has gone is missing again. This object, and
  /// the references, outlive the await.
  /// `guard`: of a task that keeps the roll: proves the answer; null: a service does.
  asio::awaitable<void> answer(std::size_t task, const Hello& hello, ServerExchange& exchange, const MemberGuard* guard = nullptr);
  /// Suspends until there is news for the task that said that hello. `exchange`: its connection; null: it is of this process.
  asio::awaitable<void> wait_for_news(const Hello& hello, ServerExchange* exchange);
  /// Suspends until all have heard of the release, until `patience` is over at most.
  asio::awaitable<void> wait_until_started(Duration patience);
  /// Ends what has been silent for too long.
  void judge();
  void note_absence(std::size_t task, std::string why) { roll_.note_absence(task, std::move(why)); }
  void note_refusal(std::size_t task, std::string why) { roll_.note_refusal(task, std::move(why), runtime_->time->now()); }
  const Roll& roll() const noexcept { return roll_; }
  /// The answer to every task, as JSON: at most 100 ms old, without news that it lacks.
  const std::string& answer_text();
  bool is_waited_for() const noexcept { return !waiting_.empty(); }

 private:
  const std::shared_ptr<Runtime::Impl> runtime_;
  Roll roll_;
  std::list<AsyncEvent*> waiting_;
  AsyncEvent started_;
  std::optional<SteadyTime> judged_at_;
  std::string answer_text_;
  std::optional<SteadyTime> answered_at_;
  std::uint64_t answered_changes_ = 0;  // of the roll, that the text has
};

}  // namespace rollcall::meeting
