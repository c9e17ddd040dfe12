// A transport that answers from a list: the library's retry loop without a network.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "async/timer_queue.hpp"
#include "async/waiter.hpp"
#include "rollcall/http.hpp"

namespace rollcall::testing {

class ScriptedTransport final : public HttpTransport {
 public:
  class Answer {
   public:
    Answer(Result<HttpResponse> r) : result(std::move(r)) {}
    Result<HttpResponse> result;
    Duration after{0};
  };

  explicit ScriptedTransport(std::shared_ptr<TimerQueue> timers) : timers_(std::move(timers)) {}

  static HttpResponse reply(int status, std::string body = {}) {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }

  /// Answers in order; the last one is repeated.
  std::deque<Answer> answers;
  std::vector<HttpRequest> requests;
  std::vector<SteadyTime> times;
  int in_flight = 0;
  int max_in_flight = 0;
  bool is_closed = false;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions&) override {
    requests.push_back(request);
    times.push_back(timers_->now());
    Answer answer = answers.front();
    if (answers.size() > 1) answers.pop_front();
    max_in_flight = std::max(max_in_flight, ++in_flight);
    bool woken = true;
    if (answer.after > Duration::zero()) woken = co_await sleep_until(*timers_, timers_->now() + answer.after);
    --in_flight;
    if (!woken) co_return Failure(Errc::cancelled, "cancelled").with_phase(Phase::response);
    co_return answer.result;
  }

  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
    co_return Failure(Errc::unimplemented, "no streams here");
  }
  void close() override { is_closed = true; }

 private:
  std::shared_ptr<TimerQueue> timers_;
};

}  // namespace rollcall::testing
