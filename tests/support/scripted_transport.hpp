// A transport that answers from a list: the library's retry loop without a network.
#pragma once

#include <asio/this_coro.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
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

  /// The body in pieces, so that readers must handle their edges.
  class Stream final : public HttpStream {
   public:
    explicit Stream(HttpResponse response) : head_(std::move(response)), body_(std::exchange(head_.body, {})) {}
    const HttpResponse& head() const override { return head_; }
    asio::awaitable<Result<std::string_view>> read() override {
      const std::string_view piece = std::string_view(body_).substr(at_, 7);
      at_ += piece.size();
      co_return piece;
    }

   private:
    HttpResponse head_;
    std::string body_;
    std::size_t at_ = 0;
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
  /// Instead of the list when it is set.
  std::function<Answer(const HttpRequest&)> respond;
  std::vector<HttpRequest> requests;
  std::vector<SteadyTime> times;
  int in_flight = 0;
  int max_in_flight = 0;
  bool is_closed = false;
  /// An answer that takes longer than ExchangeOptions::response_timeout fails with a time-out, as with sockets.
  bool minds_silence = false;
  /// A stopped call gets its answer all the same, as where the connection breaks at the deadline.
  bool is_deaf = false;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    requests.push_back(request);
    times.push_back(timers_->now());
    Answer answer = respond ? respond(request) : answers.front();
    if (!respond && answers.size() > 1) answers.pop_front();
    max_in_flight = std::max(max_in_flight, ++in_flight);
    if (is_deaf) co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    bool woken = true;
    const bool is_silent = minds_silence && answer.after > options.response_timeout;
    const Duration after = is_silent ? options.response_timeout : answer.after;
    if (after > Duration::zero()) woken = co_await sleep_until(*timers_, timers_->now() + after);
    --in_flight;
    if (woken && is_silent) co_return Failure(Errc::response_timeout, "the server did not answer").with_phase(Phase::response);
    if (!woken) co_return Failure(Errc::cancelled, "cancelled").with_phase(Phase::response);
    co_return answer.result;
  }

  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    Result<HttpResponse> response = co_await send(request, options);
    if (!response) co_return response.error();
    co_return std::unique_ptr<HttpStream>(std::make_unique<Stream>(std::move(*response)));
  }
  void close() override { is_closed = true; }

 private:
  std::shared_ptr<TimerQueue> timers_;
};

}  // namespace rollcall::testing
