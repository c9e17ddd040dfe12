#include "net/socket/loop_throttle.hpp"

#include <asio/post.hpp>

namespace rollcall {

bool LoopThrottle::admits() {
  if (admitted_ >= per_turn_ || !queue_.empty()) return false;
  ++admitted_;
  count();
  return true;
}

void LoopThrottle::enter(Ticket& ticket) {
  ticket.is_granted_ = admits();
  if (!ticket.is_granted_) queue_.push_back(ticket);
}

// While the queue is not empty the turn is full, and its end is posted.
void LoopThrottle::count() {
  if (admitted_ < worth_counting_ || is_turn_posted_) return;
  is_turn_posted_ = true;
  asio::post(executor_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_turn();
  });
}

void LoopThrottle::on_turn() {
  is_turn_posted_ = false;
  for (admitted_ = 0; admitted_ < per_turn_ && !queue_.empty(); ++admitted_) {
    Ticket& ticket = queue_.front();
    queue_.pop_front();
    ticket.is_granted_ = true;
    ticket.on_grant_(ticket.context_);
  }
  count();
}

}  // namespace rollcall
