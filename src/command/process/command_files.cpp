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

namespace rollcall::command {
namespace {

// False when the time has run out.
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
  text.reserve(std::min<std::size_t>(max_bytes, 1 << 20));  // so that its address stays valid
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

// Reads all of `path`, for at most `timeout`. The caller wipes secrets; no other copy of the content remains.
Result<std::string> read_once(const std::string& path, std::size_t max_bytes, Duration timeout) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Failure(Errc::invalid_argument, std::strerror(errno)).with_target(path_text(path));
  Result<std::string> text = read_all(fd, max_bytes, timeout);
  ::close(fd);
  if (!text) return Failure(text.error()).with_target(path_text(path));
  return text;
}

}  // namespace

Result<std::string> CommandFiles::read(const std::string& path, std::size_t max_bytes) const {
  auto known = pipes_.find(path);
  if (known == pipes_.end()) {
    struct stat status{};
    const bool is_pipe = path.find('\0') == std::string::npos && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    if (!is_pipe) return files_->read(path, max_bytes);
    Result<std::shared_ptr<PipeReading>> opened = PipeReading::open(executor_, path, max_bytes);
    if (!opened) return opened.error();
    known = pipes_.emplace(path, std::move(*opened)).first;
  }
  Result<std::string> text = known->second->content();
  if (!text && text.error().code() == Errc::not_ready) awaited_ = known->second;
  return text;
}

std::string CommandFiles::other_writers(const std::string& path) const {
  const auto* const local = dynamic_cast<const LocalFiles*>(files_.get());
  return local ? local->other_writers(path) : std::string();
}

std::shared_ptr<AwaitedFile> CommandFiles::await_content(std::function<void()> then) const {
  const std::shared_ptr<PipeReading> awaited = std::exchange(awaited_, nullptr);
  return awaited ? awaited->await_end(std::move(then)) : nullptr;
}

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

}  // namespace rollcall::command
