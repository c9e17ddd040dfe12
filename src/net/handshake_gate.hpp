// Admits TLS handshake steps a few per turn of the loop: each costs up to a millisecond, and a thousand at once would hold up
// everything else that runs there.
#pragma once

#include <asio/any_io_executor.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <memory>

#include "async/waiter.hpp"

namespace rollcall {

class HandshakeGate : public std::enable_shared_from_this<HandshakeGate> {
 public:
  HandshakeGate(asio::any_io_executor executor, std::size_t per_turn)
      : executor_(std::move(executor)), per_turn_(per_turn > 0 ? per_turn : 1), left_(per_turn_) {}

  /// A place in the queue; leaves it when destroyed. First come, first served.
  class Ticket : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    explicit Ticket(Waiter& waiter) : waiter_(waiter) {}
    bool is_granted() const noexcept { return is_granted_; }

   private:
    friend class HandshakeGate;
    Waiter& waiter_;
    bool is_granted_ = false;
  };

  /// Grants at once, or queues the ticket and wakes its waiter when it is granted.
  void enter(Ticket& ticket);
  std::size_t per_turn() const noexcept { return per_turn_; }

 private:
  void grant(Ticket& ticket) noexcept;
  void next_turn_later();
  void on_turn();

  asio::any_io_executor executor_;
  std::size_t per_turn_;
  std::size_t left_;
  bool is_turn_posted_ = false;
  boost::intrusive::list<Ticket, boost::intrusive::constant_time_size<false>> queue_;
};

}  // namespace rollcall
