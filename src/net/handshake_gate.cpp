#include "net/handshake_gate.hpp"

#include <asio/post.hpp>

namespace rollcall {

void HandshakeGate::enter(Ticket& ticket) {
  if (left_ > 0 && queue_.empty()) {
    grant(ticket);
  } else {
    queue_.push_back(ticket);
  }
  next_turn_later();
}

void HandshakeGate::grant(Ticket& ticket) noexcept {
  --left_;
  ticket.is_granted_ = true;
}

void HandshakeGate::next_turn_later() {
  if (is_turn_posted_) return;
  is_turn_posted_ = true;
  asio::post(executor_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_turn();
  });
}

void HandshakeGate::on_turn() {
  is_turn_posted_ = false;
  left_ = per_turn_;
  while (left_ > 0 && !queue_.empty()) {
    Ticket& ticket = queue_.front();
    queue_.pop_front();
    grant(ticket);
    ticket.waiter_.wake();
  }
  if (left_ < per_turn_) next_turn_later();
}

}  // namespace rollcall
