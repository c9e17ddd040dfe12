// Admits a few operations per turn of the loop: a thousand TLS handshakes or answers at once would block everything else that runs on it.
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
    explicit Ticket(AsyncEvent& event) : Ticket([](void* context) { static_cast<AsyncEvent*>(context)->wake(); }, &event) {}
    /// `on_grant(context)` is called in the turn that has room for it, and may use that turn at once.
    Ticket(void (*on_grant)(void*), void* context) : on_grant_(on_grant), context_(context) {}
    bool is_granted() const noexcept { return is_granted_; }

   private:
    friend class LoopThrottle;
    void (*on_grant_)(void*);
    void* context_;
    bool is_granted_ = false;
  };

  /// True if others wait already: a new entry waits one turn of the loop or more.
  bool is_busy() const noexcept { return !queue_.empty(); }
  /// True if the caller may proceed in this turn; if not, it must enter() the queue.
  bool admits();
  /// Grants at once, or queues the ticket and calls it when it is granted.
  void enter(Ticket& ticket);

 private:
  void count();
  void on_turn();

  asio::any_io_executor executor_;
  std::size_t per_turn_;
  std::size_t worth_counting_;  ///< with fewer operations a turn is short anyway, and the handler that ends it would only lengthen it
  std::size_t admitted_ = 0;    ///< in this turn, and in earlier ones that had too few to be counted
  bool is_turn_posted_ = false;
  boost::intrusive::list<Ticket, boost::intrusive::constant_time_size<false>> queue_;
};

}  // namespace rollcall
