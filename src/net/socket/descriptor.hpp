// Opens descriptors as the library needs them: close-on-exec and non-blocking from the start.
#pragma once

#include <algorithm>
#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "async/timer_queue.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// A TCP socket of the family. Asio 1.22 opens sockets without close-on-exec, so they are opened here and passed to it.
std::error_code open_tcp(asio::ip::tcp protocol, asio::ip::tcp::socket& into);
std::error_code open_tcp(asio::ip::tcp protocol, asio::ip::tcp::acceptor& into);

/// Checks whether the address can be listened on now; for components that listen on their own and report failures badly. Errors:
/// failed_precondition, naming the address and the system's reason.
Result<void> check_free(const asio::any_io_executor& executor, const std::string& ip, std::uint16_t port);

/// True if IPv6 sockets can be opened; a machine may have IPv6 disabled.
bool has_ipv6();

/// True for "out of descriptors" (of the process or the system), which is back-pressure and no failure.
bool is_out_of_descriptors(const std::error_code& error) noexcept;

/// The part of `limit` descriptors that client connections may use: the others are for dialling, for files and for programs.
constexpr std::size_t descriptors_for_clients(std::size_t limit) noexcept {
  constexpr std::size_t min_kept = 64;
  constexpr std::size_t max_kept = 1024;
  const std::size_t kept = std::clamp(limit / 4, min_kept, max_kept);
  return limit > 2 * kept ? limit - kept : std::max<std::size_t>(limit / 2, 1);
}
/// The same for this process, by its current limit (RLIMIT_NOFILE).
std::size_t descriptors_for_clients() noexcept;

/// True if no descriptor can be opened now.
bool are_descriptors_used_up() noexcept;

/// All descriptors are in use: suspends until one is free. False when cancelled, or at the deadline.
asio::awaitable<bool> await_descriptor(TimerQueue& timers, SteadyTime deadline);
/// The text of the failure when that wait has timed out.
inline constexpr const char* out_of_descriptors_hint =
    "all file descriptors of the process were in use: raise the limit (ulimit -n), or ask for fewer at once";

}  // namespace rollcall
