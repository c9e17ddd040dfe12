#include "tools/given_token.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/text.hpp"
#include "parse/token.hpp"

namespace rollcall::tools {
namespace {

constexpr std::size_t max_token_bytes = 64 * 1024;

Failure unreadable_token(const std::string& path, std::string_view why) {
  return Failure(Errc::invalid_argument, fmt::format("cannot read the token from {}: {}", quoted(path), why));
}

// False when the time is over.
bool wait_readable(int fd, std::chrono::steady_clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::min<long long>(left, 1'000'000))) > 0) return true;
  }
}

Result<std::string> read_once(const std::string& path, int fd, Duration timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer, static_cast<std::size_t>(count));
      if (text.size() > max_token_bytes) return unreadable_token(path, fmt::format("it is longer than {} bytes", max_token_bytes));
    } else if (errno == EAGAIN) {
      if (!wait_readable(fd, until)) return unreadable_token(path, "it did not end within the time-out");
    } else if (errno != EINTR) {
      return unreadable_token(path, std::strerror(errno));
    }
  }
}

}  // namespace

Result<std::shared_ptr<Credentials>> given_token(const std::string& path, Duration timeout) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return token_file(path);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return unreadable_token(path, std::strerror(errno));
  Result<std::string> text = read_once(path, fd, timeout);
  ::close(fd);
  if (!text) return text.error();
  Result<Secret<std::string>> token = parse_token_text(fmt::format("the token file {}", printable(path)), *text);
  wipe(text->data(), text->size());
  if (!token) return token.error();
  return static_token(std::move(*token));
}

}  // namespace rollcall::tools
