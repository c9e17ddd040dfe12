#include "fleet/entry/loop_lag.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration lag_pace = std::chrono::seconds(1);

}  // namespace

void LoopLag::start() {
  planned_at_ = saturating_sum(runtime_->time->now(), lag_pace);
  timer_.set(*runtime_->timers, planned_at_, [](void* lag) noexcept { static_cast<LoopLag*>(lag)->on_second(); }, this);
}

void LoopLag::stop() { timer_.cancel(); }

void LoopLag::on_second() noexcept {
  numbers_.add_lag(std::max(runtime_->time->now() - planned_at_, Duration(0)));
  start();
}

}  // namespace rollcall::fleet
