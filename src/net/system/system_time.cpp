// The machine's own clocks.
#include <time.h>

#include <asio/steady_timer.hpp>
#include <optional>

#include "async/loop_life.hpp"
#include "base/saturating.hpp"
#include "net/system/counted_sleep.hpp"
#include "rollcall/sleepless_time.hpp"

namespace rollcall {
namespace {

Duration since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

CountedSleep counted_from_now_on() {
  const Duration boot = since_boot();  // first, so that no time is earlier than the steady clock's
  return CountedSleep(std::chrono::steady_clock::now(), boot);
}

// A clock that returns SteadyTime.
class Steady {
 public:
  explicit Steady(bool counts_sleep) {
    if (counts_sleep) counted_.emplace(counted_from_now_on());
  }
  SteadyTime now() const { return counted_ ? counted_->now(since_boot()) : SteadyTime(std::chrono::steady_clock::now()); }

 private:
  std::optional<CountedSleep> counted_;
};

// A ring that was queued before clear() or set() finds a newer generation and is dropped.
class SystemAlarm final : public Alarm, private LoopEnd {
 public:
  SystemAlarm(const Steady& clock, asio::any_io_executor executor, std::function<void()> ring)
      : LoopEnd(executor), clock_(clock), state_(std::make_shared<State>(std::move(executor), std::move(ring))) {}
  ~SystemAlarm() override { clear(); }

  void set(SteadyTime when) override {
    const std::uint64_t generation = ++state_->generation;
    if (!state_->timer) return;
    // Its own timer stops while the machine is suspended.
    state_->timer->expires_after(saturating_difference(when, clock_.now()));
    state_->timer->async_wait([state = state_, generation](const std::error_code& error) {
      if (!error && generation == state->generation) state->ring();
    });
  }

  void clear() override {
    ++state_->generation;
    if (state_->timer) state_->timer->cancel();
  }

 private:
  void on_loop_end() noexcept override { state_->timer.reset(); }

  struct State {
    State(asio::any_io_executor executor, std::function<void()> r) : timer(std::move(executor)), ring(std::move(r)) {}
    std::optional<asio::steady_timer> timer;  // none after the end of its loop
    std::function<void()> ring;
    std::uint64_t generation = 0;
  };
  const Steady clock_;
  std::shared_ptr<State> state_;
};

class SystemTime final : public TimeSource {
 public:
  explicit SystemTime(bool counts_sleep) : steady_(counts_sleep) {}
  SteadyTime now() const override { return steady_.now(); }
  WallTime wall_now() const override { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }
  std::unique_ptr<Alarm> make_alarm(asio::any_io_executor executor, std::function<void()> ring) override {
    return std::make_unique<SystemAlarm>(steady_, std::move(executor), std::move(ring));
  }

 private:
  const Steady steady_;
};

}  // namespace

std::shared_ptr<TimeSource> system_time() { return std::make_shared<SystemTime>(false); }
std::shared_ptr<TimeSource> sleepless_time() { return std::make_shared<SystemTime>(true); }

}  // namespace rollcall
