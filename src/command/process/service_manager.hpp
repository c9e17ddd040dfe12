// What a service manager such as systemd is told of a service that it has started (sd_notify(3)): by a datagram to the socket of
// NOTIFY_SOCKET. Without one nothing is told.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/environment.hpp"
#include "rollcall/time.hpp"

namespace rollcall::command {

class ServiceManager {
 public:
  /// NOTIFY_SOCKET, and WATCHDOG_USEC where WATCHDOG_PID is this process or unset.
  ServiceManager(const asio::any_io_executor& loop, const Environment& environment);
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  /// The service serves; again after tell_reloading(). From the first time on the watchdog hears twice in its time that the loop turns.
  void tell_ready();
  void tell_reloading();
  void tell_stopping();
  /// No word any more.
  void stop();

  /// How often the watchdog is told; absent: there is none.
  const std::optional<Duration>& heartbeat() const noexcept { return heartbeat_; }

 private:
  void tell(std::string_view text) const noexcept;
  void heartbeat_later();

  std::string socket_;
  std::optional<Duration> heartbeat_;
  asio::steady_timer timer_;
  bool heartbeats_ = false;
};

}  // namespace rollcall::command
