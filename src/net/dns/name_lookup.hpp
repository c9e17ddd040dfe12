// Host name look-ups with c-ares, on the caller's executor: no thread, and cancellable at once.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/ip/address.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Addresses that need no look-up: of a literal (`10.0.0.1`, `fd00::1`), and of `localhost` and names below it (RFC 6761).
std::optional<std::vector<asio::ip::address>> known_addresses(const std::string& host);

/// One look-up: /etc/hosts, then DNS, both families. It has a c-ares channel of its own, because cancelling works by channel.
/// Destroying it ends it.
class NameLookup {
 public:
  /// Starts. `servers` are `ip[:port]`; empty: the system's. `done` is woken at the end and must live as long as this object.
  NameLookup(asio::any_io_executor executor, TimerQueue& timers, std::string host, const std::vector<std::string>& servers,
             AsyncEvent& done);
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  bool is_over() const noexcept;
  /// In the order of RFC 6724, at least one. Errors: unknown_host, unreachable (the name servers fail), resolve_timeout (they do not
  /// answer), invalid_argument (the list of servers).
  Result<std::vector<asio::ip::address>> take_result();
  std::string asked() const;
  /// The configured name servers, and the hint when they do not answer.
  std::string hint() const;
  /// It failed for lack of a descriptor.
  bool has_run_out_of_descriptors() const noexcept;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace rollcall
