#include "command/process/command_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"

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

// All of `path` to its end, for at most `timeout`. The caller wipes what is secret; no other copy of it is left.
Result<std::string> read_once(const std::string& path, std::size_t max_bytes, Duration timeout) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Failure(Errc::invalid_argument, std::strerror(errno)).with_target(path_text(path));
  Result<std::string> text = read_all(fd, max_bytes, timeout);
  ::close(fd);
  if (!text) return Failure(text.error()).with_target(path_text(path));
  return text;
}

}  // namespace

CommandFiles::CommandFiles(Duration timeout, std::function<bool(const std::string&)> is_secret,
                           std::function<void(const std::string&)> warn)
    : files_(file_system()), timeout_(timeout), is_secret_(std::move(is_secret)), warn_(std::move(warn)) {}

Result<std::string> CommandFiles::read(const std::string& path, std::size_t max_bytes) const {
  if (const auto known = read_.find(path); known != read_.end()) return std::string(known->second.reveal());
  struct stat status{};
  if (path.find('\0') == std::string::npos && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) {
    Result<std::string> text = read_once(path, max_bytes, timeout_);
    if (text) read_.emplace(path, Secret<std::string>(*text));
    return text;
  }
  Result<std::string> text = files_->read(path, max_bytes);
  if (text && is_secret_(path) && is_open_to_others(path).value_or(false) && warned_.insert(path).second)
    warn_(fmt::format("warning: {} holds a secret and can be read by others on this machine: chmod go-rwx it", quoted_path(path)));
  return text;
}

std::optional<bool> CommandFiles::is_open_to_others(const std::string& path) const { return files_->is_open_to_others(path); }

Result<std::shared_ptr<Credentials>> given_token(const std::string& path, Duration timeout) {
  constexpr std::size_t max_token_bytes = 64 * 1024;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return token_file(path);
  Result<std::string> text = read_once(path, max_token_bytes, timeout);
  if (!text)
    return Failure(Errc::invalid_argument, fmt::format("cannot read the token from {}: {}", quoted_path(path), text.error().what()));
  Result<Secret<std::string>> token = parse_token_text(fmt::format("the token file {}", path_text(path)), *text);
  wipe(text->data(), text->size());
  if (!token) return token.error();
  return static_token(std::move(*token));
}

}  // namespace rollcall::tools
