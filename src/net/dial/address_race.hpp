// Races both address families (RFC 8305): connection attempts start 250 ms apart, or at once when one fails; the first that connects wins
// and the others are closed.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"

namespace rollcall {

inline constexpr Duration connection_attempt_delay = std::chrono::milliseconds(250);

/// Alternates between the families, beginning with that of the first address; keeps the order within each.
std::vector<asio::ip::tcp::endpoint> interleave_families(const std::vector<asio::ip::tcp::endpoint>& endpoints);

/// Destroying it ends all attempts.
class AddressRace {
 public:
  /// Starts. `done` is woken when the race is over and must live as long as this object. `max_segment`: see ExchangeOptions.
  AddressRace(asio::any_io_executor executor, TimerQueue& timers, std::vector<asio::ip::tcp::endpoint> endpoints, AsyncEvent& done,
              int max_segment = 0);
  ~AddressRace();
  AddressRace(const AddressRace&) = delete;
  AddressRace& operator=(const AddressRace&) = delete;

  bool is_over() const noexcept;
  /// The winner's socket; call once. None when every attempt failed.
  std::optional<asio::ip::tcp::socket> take_winner();
  /// `10.0.0.1:443: Connection refused; [::1]:443: …`, a few of them.
  std::string errors() const;
  /// True if every attempt failed to open a descriptor.
  bool has_run_out_of_descriptors() const noexcept;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace rollcall
