// Programs that answer from a list, in virtual time: no process is started.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "rollcall/program_runner.hpp"

namespace rollcall::testing {

class FakePrograms final : public ProgramRunner {
 public:
  class Answer {
   public:
    Answer(Result<ProgramOutput> r) : result(std::move(r)) {}
    Result<ProgramOutput> result;
    Duration after{0};
  };

  explicit FakePrograms(std::shared_ptr<TimerQueue> timers) : timers_(std::move(timers)) {}

  static ProgramOutput printed(std::string output, int exit_code = 0, std::string errors = {}) {
    ProgramOutput ended;
    ended.exit_code = exit_code;
    ended.output = Secret<std::string>(std::move(output));
    ended.errors = std::move(errors);
    return ended;
  }

  /// Answers in order; the last one is repeated. Without any, no program is installed.
  std::deque<Answer> answers;
  /// Instead of the list when it is set.
  std::function<Answer(const ProgramRequest&)> respond;
  std::vector<ProgramRequest> requests;
  int running = 0;
  int cancelled = 0;

  void answer(std::string output, Duration after = Duration::zero()) {
    answers.emplace_back(Result<ProgramOutput>(printed(std::move(output)))).after = after;
  }

  /// An answer that takes longer than the request's time-out is late.
  asio::awaitable<Result<ProgramOutput>> run(ProgramRequest request) override {
    requests.push_back(request);
    if (!respond && answers.empty()) co_return Failure(Errc::not_found, request.words.front() + " is not installed");
    Answer answer = respond ? respond(request) : answers.front();
    if (!respond && answers.size() > 1) answers.pop_front();
    const bool is_late = answer.after > request.timeout;
    const Duration after = is_late ? request.timeout : answer.after;
    bool woken = true;
    ++running;
    if (after > Duration::zero()) woken = co_await sleep_until(*timers_, timers_->now() + after);
    --running;
    if (!woken) {
      ++cancelled;
      co_return Failure(Errc::cancelled, "cancelled");
    }
    if (is_late) co_return Failure(Errc::response_timeout, request.words.front() + " did not end in time");
    co_return answer.result;
  }

 private:
  std::shared_ptr<TimerQueue> timers_;
};

}  // namespace rollcall::testing
