#include "command/terminal/read_once.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "rollcall/secret.hpp"

namespace rollcall::tools {
namespace {

// False when the time is over.
bool wait_readable(int fd, std::chrono::steady_clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::min<long long>(left, 1'000'000))) > 0) return true;
  }
}

Result<std::string> read_all(int fd, std::size_t max_bytes, Duration timeout) {
  const auto until = saturating_sum(std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now()), timeout);
  std::string text;
  text.reserve(std::min<std::size_t>(max_bytes, 1 << 20));  // so that it stays where it is
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count > 0) {
      const bool is_too_long = text.size() + static_cast<std::size_t>(count) > max_bytes;
      if (!is_too_long) text.append(buffer, static_cast<std::size_t>(count));
      wipe(buffer, static_cast<std::size_t>(count));
      if (!is_too_long) continue;
      wipe(text.data(), text.size());
      return Failure(Errc::limit_exceeded, fmt::format("it is longer than {} bytes", max_bytes));
    }
    if (errno == EAGAIN) {
      if (!wait_readable(fd, until)) return Failure(Errc::invalid_argument, "it did not end within the time-out");
    } else if (errno != EINTR) {
      return Failure(Errc::invalid_argument, std::strerror(errno));
    }
  }
}

}  // namespace

Result<std::string> read_once(const std::string& path, std::size_t max_bytes, Duration timeout) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Failure(Errc::invalid_argument, std::strerror(errno)).with_target(printable(path));
  Result<std::string> text = read_all(fd, max_bytes, timeout);
  ::close(fd);
  if (!text) return Failure(text.error()).with_target(printable(path));
  return text;
}

}  // namespace rollcall::tools
