#include "async/host_gate.hpp"

namespace rollcall {

asio::awaitable<bool> HostGate::enter() {
  // The frame may be destroyed while it waits (its io_context goes): the entry unlinks itself then.
  struct Linked : Entry {
    explicit Linked(HostGate& g) : gate(g) { gate.queue_.push_back(*this); }
    ~Linked() {
      if (is_linked()) gate.queue_.erase(gate.queue_.iterator_to(*this));
    }
    HostGate& gate;
  };
  Linked entry(*this);
  const bool woken = co_await entry.waiter.wait();
  if (woken) co_return true;
  if (entry.is_granted) leave();  // granted and cancelled in the same turn: pass the place on
  co_return false;
}

void HostGate::leave() noexcept {
  if (queue_.empty()) {
    ++free_;
    return;
  }
  Entry& first = queue_.front();
  queue_.pop_front();
  first.is_granted = true;
  first.waiter.wake();
}

}  // namespace rollcall
