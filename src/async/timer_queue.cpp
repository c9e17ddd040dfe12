#include "async/timer_queue.hpp"

namespace rollcall {

void Timer::set(TimerQueue& queue, SteadyTime when, Ring ring, void* context) {
  cancel();
  if (when == SteadyTime::max()) return;
  queue_ = &queue;
  when_ = when;
  ring_ = ring;
  context_ = context;
  queue.insert(*this);
}

void Timer::cancel() noexcept {
  if (is_linked()) queue_->remove(*this);
}

TimerQueue::TimerQueue(std::shared_ptr<TimeSource> time, asio::any_io_executor executor)
    : time_(std::move(time)), executor_(std::move(executor)) {}

TimerQueue::~TimerQueue() { timers_.clear(); }

void TimerQueue::insert(Timer& timer) {
  timers_.insert(timer);
  if (timer.when_ >= armed_for_) return;
  if (!alarm_) {
    alarm_ = time_->make_alarm(executor_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->on_ring();
    });
  }
  armed_for_ = timer.when_;
  alarm_->set(armed_for_);
}

void TimerQueue::remove(Timer& timer) noexcept {
  timers_.erase(timers_.iterator_to(timer));
  // An alarm that is now too early is not changed: one unnecessary ring is cheaper than setting it again each time.
  if (timers_.empty() && alarm_) {
    alarm_->clear();
    armed_for_ = SteadyTime::max();
  }
}

void TimerQueue::on_ring() {
  const SteadyTime now = time_->now();
  armed_for_ = SteadyTime::max();
  const auto keep_alive = shared_from_this();
  while (!timers_.empty() && timers_.begin()->when_ <= now) {
    Timer& timer = *timers_.begin();
    timers_.erase(timers_.begin());
    timer.ring_(timer.context_);  // may set and cancel timers, and destroy this queue
  }
  if (!timers_.empty() && timers_.begin()->when_ < armed_for_) {
    armed_for_ = timers_.begin()->when_;
    alarm_->set(armed_for_);
  }
}

}  // namespace rollcall
