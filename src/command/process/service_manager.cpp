#include "command/process/service_manager.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "base/text.hpp"

namespace rollcall::command {

ServiceManager::ServiceManager(const asio::any_io_executor& loop, const Environment& environment)
    : socket_(environment.get("NOTIFY_SOCKET").value_or("")), timer_(loop) {
  const auto limit = parse_decimal<std::int64_t>(environment.get("WATCHDOG_USEC").value_or(""), 1);
  const std::string whose = environment.get("WATCHDOG_PID").value_or("");
  if (socket_.empty() || !limit || (!whose.empty() && whose != std::to_string(::getpid()))) return;
  heartbeat_ = Duration(std::chrono::microseconds(std::min<std::int64_t>(*limit, 86'400'000'000) / 2));
}

void ServiceManager::notify_ready() {
  notify("READY=1");
  if (heartbeat_ && !heartbeats_) {
    heartbeats_ = true;
    heartbeat_later();
  }
}

// Managers that wait for READY=1 after a reload need the time.
void ServiceManager::notify_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * 1'000'000 + now.tv_nsec / 1000));
}

void ServiceManager::notify_stopping() { notify("STOPPING=1"); }

void ServiceManager::stop() {
  heartbeats_ = false;
  timer_.cancel();
}

// If the manager cannot be reached the message is lost: the service must not block on it.
void ServiceManager::notify(std::string_view text) const noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool is_address =
      socket_.size() > 1 && socket_.size() < sizeof address.sun_path && (socket_.front() == '/' || socket_.front() == '@');
  if (!is_address) return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // an abstract socket
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  ::sendto(descriptor, text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
  ::close(descriptor);
}

void ServiceManager::heartbeat_later() {
  timer_.expires_after(*heartbeat_);
  timer_.async_wait([this](const std::error_code& error) {
    if (error || !heartbeats_) return;
    notify("WATCHDOG=1");
    heartbeat_later();
  });
}

}  // namespace rollcall::command
