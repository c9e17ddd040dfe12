#include "meeting/roll_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/at_end.hpp"
#include "base/saturating.hpp"

namespace rollcall::meeting {
namespace {

constexpr Duration pace = std::chrono::milliseconds(100);  // of what looks at all tasks

Roll roll_of(std::vector<std::string> names, std::int64_t first_call) {
  const Duration silence = answer_pause(names.size()) + std::chrono::seconds(4);
  return Roll(std::move(names), silence, first_call);
}

}  // namespace

Duration answer_pause(std::size_t tasks) noexcept {
  const Duration by_load = std::chrono::milliseconds(tasks);
  return std::clamp<Duration>(by_load, std::chrono::seconds(1), std::chrono::seconds(10));
}

std::string path_of_members(std::string_view run) { return fmt::format("/v1/runs/{}/members/", run); }
std::string path_of_hello(std::string_view run, std::size_t task) { return fmt::format("{}{}", path_of_members(run), task); }

RollKeeper::RollKeeper(std::shared_ptr<Runtime::Impl> runtime, std::vector<std::string> names)
    : runtime_(std::move(runtime)), roll_(roll_of(std::move(names), runtime_->random_bits())) {}

// Not at each hello: it looks at all tasks.
void RollKeeper::judge() {
  const SteadyTime now = runtime_->time->now();
  if (judged_at_ && now - *judged_at_ < pace) return;
  judged_at_ = now;
  roll_.judge(now);
}

Roll::Heard RollKeeper::hear(std::size_t task, const Hello& hello, std::string_view from) {
  judge();
  const std::int64_t before = roll_.call();
  const Roll::Heard heard = roll_.hear(task, hello, from, runtime_->time->now());
  if (roll_.call() != before) {
    for (AsyncEvent* event : waiting_) event->wake();
  }
  if (roll_.has_started()) started_.wake();
  return heard;
}

asio::awaitable<void> RollKeeper::answer(std::size_t task, const Hello& hello, ServerExchange& exchange, const MemberGuard* guard) {
  co_await wait_for_news(hello, &exchange);
  if (exchange.is_closed()) {
    roll_.lose(task, hello);
    co_return;
  }
  HttpResponse response;
  response.status = 200;
  response.body = answer_text();
  bool is_sent = false;
  if (guard) {
    is_sent = co_await guard->reply(exchange, response.status, std::move(response.body));
  } else {
    response.headers.add("Content-Type", "application/json");
    response.headers.add("Cache-Control", "no-store");
    is_sent = co_await exchange.reply(response);
  }
  if (!is_sent) roll_.lose(task, hello);
}

const std::string& RollKeeper::answer_text() {
  const SteadyTime now = runtime_->time->now();
  const bool is_fresh = answered_at_ && now - *answered_at_ < pace && answered_changes_ == roll_.changes();
  if (is_fresh) return answer_text_;
  answer_text_ = write_answer(roll_.answer());
  answered_at_ = now;
  answered_changes_ = roll_.changes();
  return answer_text_;
}

asio::awaitable<void> RollKeeper::wait_for_news(const Hello& hello, ServerExchange* exchange) {
  const bool is_first = hello.sequence == 1;  // it is shown at once who is there
  if (hello.stage != Stage::barrier || hello.call != roll_.call() || is_first) co_return;
  const SteadyTime until = saturating_sum(runtime_->time->now(), answer_pause(roll_.size()));
  AsyncEvent news;
  const auto at = waiting_.insert(waiting_.end(), &news);
  const AtEnd forget([this, at] { waiting_.erase(at); });
  std::optional<ClosedWatch> closed;
  if (exchange) closed.emplace(*exchange, news);
  const bool is_awake = co_await news.wait_until(*runtime_->timers, until);
  static_cast<void>(is_awake);
}

asio::awaitable<void> RollKeeper::wait_until_started(Duration patience) {
  const SteadyTime until = saturating_sum(runtime_->time->now(), patience);
  while (!roll_.has_started() && runtime_->time->now() < until) {
    const bool is_awake = co_await started_.wait_until(*runtime_->timers, until);
    if (!is_awake) co_return;
  }
}

}  // namespace rollcall::meeting
