#include "command/session/outbox.hpp"

#include <utility>

namespace rollcall::serve {

// If nothing else waits, a large answer is moved, not copied.
void Outbox::put(std::string line) {
  const bool was_empty = text_.empty();
  waiting_ += line.size();
  if (was_empty) {
    text_ = std::move(line);
  } else {
    text_ += line;
  }
  if (was_empty) filled_.wake();
}

void Outbox::offer(ProgressSlot& slot, std::string line) {
  if (has_room_for_events()) return put(line);
  slot.newest = std::move(line);
  if (!slot.is_linked()) slots_.push_back(slot);
}

void Outbox::settle(ProgressSlot& slot, std::string line) {
  if (slot.is_linked()) {
    slot.unlink();
    if (has_room_for_events()) put(slot.newest);
  }
  put(std::move(line));
  wake_next_answer();
}

asio::awaitable<bool> Outbox::until_room_for_events() {
  while (!has_room_for_events()) {
    Waiter waiter(event_waiters_);
    const bool woken = co_await waiter.event.wait();
    if (!woken) co_return false;
  }
  co_return true;
}

asio::awaitable<bool> Outbox::until_room_for_answers() {
  while (!has_room_for_answers()) {
    Waiter waiter(answer_waiters_);
    const bool woken = co_await waiter.event.wait();
    if (!woken) co_return false;
  }
  co_return true;
}

asio::awaitable<bool> Outbox::until_turn_to_answer() {
  while (!has_room_for_answers()) {
    Waiter waiter(turn_waiters_);
    const bool woken = co_await waiter.event.wait();
    if (woken) continue;
    wake_next_answer();  // the cancelled waiter may have been the one that was woken
    co_return false;
  }
  co_return true;
}

std::string Outbox::take() { return std::exchange(text_, std::string()); }

void Outbox::written(std::size_t bytes) {
  waiting_ -= bytes;
  while (has_room_for_events() && !slots_.empty()) {
    ProgressSlot& slot = slots_.front();
    slots_.pop_front();
    put(std::exchange(slot.newest, std::string()));
  }
  if (has_room_for_events()) wake_all(event_waiters_);
  if (has_room_for_answers()) wake_all(answer_waiters_);
  wake_next_answer();
}

void Outbox::wake_next_answer() {
  if (has_room_for_answers() && !turn_waiters_.empty()) wake_first(turn_waiters_);
}

// A woken waiter checks again: another may have taken the room.
void Outbox::wake_first(Waiters& waiters) {
  Waiter& first = waiters.front();
  waiters.pop_front();
  first.event.wake();
}

void Outbox::wake_all(Waiters& waiters) {
  while (!waiters.empty()) wake_first(waiters);
}

}  // namespace rollcall::serve
