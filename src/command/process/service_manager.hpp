// Notifies a service manager such as systemd that started this service (sd_notify(3)), by a datagram to the socket of NOTIFY_SOCKET. Does
// nothing without that variable.
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
  /// Reads NOTIFY_SOCKET, and WATCHDOG_USEC if WATCHDOG_PID is this process or unset.
  ServiceManager(const asio::any_io_executor& loop, const Environment& environment);
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  /// The service serves; again after notify_reloading(). From the first call on, the watchdog is notified twice per interval, as long as
  /// the event loop runs.
  void notify_ready();
  void notify_reloading();
  void notify_stopping();
  /// Sends no more notifications.
  void stop();

  /// The interval of watchdog notifications; absent: no watchdog.
  const std::optional<Duration>& heartbeat() const noexcept { return heartbeat_; }

 private:
  void notify(std::string_view text) const noexcept;
  void heartbeat_later();

  std::string socket_;
  std::optional<Duration> heartbeat_;
  asio::steady_timer timer_;
  bool heartbeats_ = false;
};

}  // namespace rollcall::command
