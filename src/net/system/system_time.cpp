// The machine's own clocks.
#include <asio/steady_timer.hpp>

#include "rollcall/time_source.hpp"

namespace rollcall {
namespace {

// A ring that was queued before clear() or set() finds a newer generation and is dropped.
class SystemAlarm final : public Alarm {
 public:
  SystemAlarm(asio::any_io_executor executor, std::function<void()> ring)
      : state_(std::make_shared<State>(std::move(executor), std::move(ring))) {}
  ~SystemAlarm() override { clear(); }

  void set(SteadyTime when) override {
    const std::uint64_t generation = ++state_->generation;
    state_->timer.expires_at(when);
    state_->timer.async_wait([state = state_, generation](const std::error_code& error) {
      if (!error && generation == state->generation) state->ring();
    });
  }

  void clear() override {
    ++state_->generation;
    state_->timer.cancel();
  }

 private:
  struct State {
    State(asio::any_io_executor executor, std::function<void()> r) : timer(std::move(executor)), ring(std::move(r)) {}
    asio::steady_timer timer;
    std::function<void()> ring;
    std::uint64_t generation = 0;
  };
  std::shared_ptr<State> state_;
};

class SystemTime final : public TimeSource {
 public:
  SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall_now() const override { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }
  std::unique_ptr<Alarm> make_alarm(asio::any_io_executor executor, std::function<void()> ring) override {
    return std::make_unique<SystemAlarm>(std::move(executor), std::move(ring));
  }
};

}  // namespace

std::shared_ptr<TimeSource> system_time() { return std::make_shared<SystemTime>(); }

}  // namespace rollcall
