// Admits a few operations per turn of the loop: a thousand TLS handshakes or answers at once would hold up everything else that runs
// on it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <memory>

#include "async/async_event.hpp"

namespace rollcall {

class LoopThrottle : public std::enable_shared_from_this<LoopThrottle> {
 public:
  LoopThrottle(asio::any_io_executor executor, std::size_t per_turn)
      : executor_(std::move(executor)), per_turn_(per_turn > 0 ? per_turn : 1), worth_counting_((per_turn_ + 1) / 2) {}

  /// A place in the queue; leaves it when destroyed. First come, first served.
  class Ticket : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    explicit Ticket(AsyncEvent& waiter) : waiter_(waiter) {}
    bool is_granted() const noexcept { return is_granted_; }

   private:
    friend class LoopThrottle;
    AsyncEvent& waiter_;
    bool is_granted_ = false;
  };

  /// True if the caller may proceed in this turn; if not, it must enter() the queue.
  bool admits();
  /// Grants at once, or queues the ticket and wakes its waiter when it is granted.
  void enter(Ticket& ticket);

 private:
  void count();
  void on_turn();

  asio::any_io_executor executor_;
  std::size_t per_turn_;
  std::size_t worth_counting_;  ///< with fewer operations a turn is short anyway, and the handler that ends it would only lengthen it
  std::size_t admitted_ = 0;    ///< in this turn, and in earlier ones that had too few to be worth counting
  bool is_turn_posted_ = false;
  boost::intrusive::list<Ticket, boost::intrusive::constant_time_size<false>> queue_;
};

}  // namespace rollcall
