#include "net/socket/descriptor.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "async/async_event.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

template <class Socket>
std::error_code open_into(asio::ip::tcp protocol, Socket& into) {
  const int descriptor = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol.protocol());
  if (descriptor < 0) return std::error_code(errno, std::system_category());
  std::error_code error;
  into.assign(protocol, descriptor, error);
  if (error) ::close(descriptor);
  return error;
}

}  // namespace

std::error_code open_tcp(asio::ip::tcp protocol, asio::ip::tcp::socket& into) { return open_into(protocol, into); }
std::error_code open_tcp(asio::ip::tcp protocol, asio::ip::tcp::acceptor& into) { return open_into(protocol, into); }

Result<void> check_free(const asio::any_io_executor& executor, const std::string& ip, std::uint16_t port) {
  std::error_code error;
  const asio::ip::address address = asio::ip::make_address(ip, error);
  asio::ip::tcp::acceptor probe(executor);
  if (!error) error = open_tcp(address.is_v6() ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), probe);
  if (!error) probe.set_option(asio::ip::tcp::acceptor::reuse_address(true), error);
  if (!error) probe.bind(asio::ip::tcp::endpoint(address, port), error);
  if (!error) probe.listen(1, error);
  if (!error) return Result<void>();
  return Failure(Errc::failed_precondition, fmt::format("cannot listen on {} port {}: {}", printable(ip), port, error.message()));
}

bool has_ipv6() {
  const int probe = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  ::close(probe);
  return true;
}

bool is_out_of_descriptors(const std::error_code& error) noexcept {
  return error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system;
}

std::size_t descriptors_for_clients() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptors_for_clients(1024);
  return descriptors_for_clients(static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1U << 30)));
}

bool are_descriptors_used_up() noexcept {
  const int descriptor = ::open("/", O_PATH | O_CLOEXEC);
  if (descriptor >= 0) {
    ::close(descriptor);
    return false;
  }
  return errno == EMFILE || errno == ENFILE;
}

asio::awaitable<bool> await_descriptor(TimerQueue& timers, SteadyTime deadline) {
  ExponentialBackoff backoff(std::chrono::milliseconds(5), std::chrono::milliseconds(200));
  do {
    const SteadyTime now = timers.now();
    if (now >= deadline) co_return false;
    const bool goes_on = co_await sleep_until(timers, std::min(saturating_sum(now, backoff.next()), deadline));
    if (!goes_on) co_return false;
  } while (are_descriptors_used_up());
  co_return true;
}

}  // namespace rollcall
