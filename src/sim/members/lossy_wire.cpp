#include "sim/members/lossy_wire.hpp"

#include <optional>
#include <utility>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "preflight/rules/probe_path.hpp"

namespace rollcall::sim {
namespace {

constexpr int max_segment = 1360;  // of packets of 1400 bytes

class LossyTransport final : public HttpTransport {
 public:
  LossyTransport(std::shared_ptr<HttpTransport> http, std::shared_ptr<TimerQueue> timers, std::function<bool(std::size_t)> loses)
      : http_(std::move(http)), timers_(std::move(timers)), loses_(std::move(loses)) {}

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    const std::optional<preflight::ProbePath> path = preflight::read_probe_path(request.url.target);
    const bool passes = options.max_segment > 0 && options.max_segment <= max_segment;
    if (!path || !path->is_large() || passes || !loses_(path->to)) return http_->send(request, options);
    return wait_in_vain(options);
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    return http_->open(request, options);
  }
  void close() override { http_->close(); }

 private:
  asio::awaitable<Result<HttpResponse>> wait_in_vain(const ExchangeOptions& options) {
    const SteadyTime until = saturating_sum(timers_->now(), options.response_timeout);
    const bool is_awake = co_await sleep_until(*timers_, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while a large message was lost");
    co_return Failure(Errc::response_timeout, "the server did not answer").with_phase(Phase::response);
  }

  const std::shared_ptr<HttpTransport> http_;
  const std::shared_ptr<TimerQueue> timers_;
  const std::function<bool(std::size_t)> loses_;
};

class ShiftedTime final : public TimeSource {
 public:
  ShiftedTime(std::shared_ptr<TimeSource> right, Duration ahead) : right_(std::move(right)), ahead_(ahead) {}
  SteadyTime now() const override { return right_->now(); }
  WallTime wall_now() const override { return right_->wall_now() + std::chrono::duration_cast<WallTime::duration>(ahead_); }
  std::unique_ptr<Alarm> make_alarm(asio::any_io_executor executor, std::function<void()> ring) override {
    return right_->make_alarm(std::move(executor), std::move(ring));
  }

 private:
  const std::shared_ptr<TimeSource> right_;
  const Duration ahead_;
};

}  // namespace

std::shared_ptr<HttpTransport> make_lossy_transport(std::shared_ptr<HttpTransport> http, std::shared_ptr<TimerQueue> timers,
                                                    std::function<bool(std::size_t)> loses) {
  return std::make_shared<LossyTransport>(std::move(http), std::move(timers), std::move(loses));
}

std::shared_ptr<TimeSource> make_shifted_time(std::shared_ptr<TimeSource> right, Duration ahead) {
  return std::make_shared<ShiftedTime>(std::move(right), ahead);
}

}  // namespace rollcall::sim
