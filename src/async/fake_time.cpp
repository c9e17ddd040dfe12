#include <algorithm>
#include <asio/post.hpp>
#include <vector>

#include "base/saturating.hpp"
#include "rollcall/testing/fake_time.hpp"

namespace rollcall::testing {

struct FakeTime::State {
  class FakeAlarm;
  SteadyTime now{};
  WallTime wall{};
  std::uint64_t next_order = 0;
  std::vector<FakeAlarm*> set_alarms;

  void deliver();
};

// A ring that is posted but not yet run is dropped when the alarm is cleared or set again meanwhile.
class FakeTime::State::FakeAlarm final : public Alarm {
 public:
  FakeAlarm(std::shared_ptr<State> state, asio::any_io_executor executor, std::function<void()> ring)
      : state_(std::move(state)), executor_(std::move(executor)), ring_(std::make_shared<std::function<void()>>(std::move(ring))) {}
  ~FakeAlarm() override { clear(); }

  void set(SteadyTime when) override {
    clear();
    when_ = when;
    order_ = state_->next_order++;
    state_->set_alarms.push_back(this);
    if (when_ <= state_->now) state_->deliver();
  }

  void clear() override {
    ++*generation_;
    std::erase(state_->set_alarms, this);
  }

  void post_ring() {
    asio::post(executor_, [ring = ring_, generation = generation_, expected = *generation_] {
      if (*generation == expected) (*ring)();
    });
  }
  bool before(const FakeAlarm& other) const { return when_ != other.when_ ? when_ < other.when_ : order_ < other.order_; }
  SteadyTime when() const { return when_; }

 private:
  std::shared_ptr<State> state_;
  asio::any_io_executor executor_;
  std::shared_ptr<std::function<void()>> ring_;
  std::shared_ptr<std::uint64_t> generation_ = std::make_shared<std::uint64_t>(0);
  SteadyTime when_{};
  std::uint64_t order_ = 0;
};

void FakeTime::State::deliver() {
  std::vector<FakeAlarm*> due;
  std::copy_if(set_alarms.begin(), set_alarms.end(), std::back_inserter(due), [this](const FakeAlarm* a) { return a->when() <= now; });
  std::sort(due.begin(), due.end(), [](const FakeAlarm* a, const FakeAlarm* b) { return a->before(*b); });
  for (FakeAlarm* alarm : due) {
    std::erase(set_alarms, alarm);
    alarm->post_ring();
  }
}

FakeTime::FakeTime(WallTime wall_start) : state_(std::make_shared<State>()) { state_->wall = wall_start; }
FakeTime::~FakeTime() = default;

SteadyTime FakeTime::now() const { return state_->now; }
WallTime FakeTime::wall_now() const { return state_->wall; }

std::unique_ptr<Alarm> FakeTime::make_alarm(asio::any_io_executor executor, std::function<void()> ring) {
  return std::make_unique<State::FakeAlarm>(state_, std::move(executor), std::move(ring));
}

void FakeTime::advance(Duration by) { advance_to(saturating_sum(state_->now, by)); }

void FakeTime::advance_to(SteadyTime when) {
  if (when > state_->now) {
    state_->wall = saturating_sum(state_->wall, saturating_difference(when, state_->now));
    state_->now = when;
  }
  state_->deliver();
}

void FakeTime::set_wall(WallTime wall) { state_->wall = wall; }

std::optional<SteadyTime> FakeTime::next_alarm() const {
  std::optional<SteadyTime> earliest;
  for (const State::FakeAlarm* alarm : state_->set_alarms) earliest = std::min(earliest.value_or(alarm->when()), alarm->when());
  return earliest;
}

std::size_t FakeTime::alarms() const { return state_->set_alarms.size(); }

}  // namespace rollcall::testing
