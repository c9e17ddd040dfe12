#include "command/run/metrics_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "command/terminal/console.hpp"

namespace rollcall::tools {
namespace {

constexpr Duration metrics_interval = std::chrono::seconds(1);

// 0, or errno.
int write_to(int fd, std::string_view text) {
  int error = write_all(fd, text) ? 0 : errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

// Where a symbolic link leads, so that it stays one.
std::string real_path(const std::string& path) {
  char* const found = ::realpath(path.c_str(), nullptr);
  std::string real = found ? found : path;
  ::free(found);
  return real;
}

// `waits`: for somebody who reads a FIFO.
int replace_file(const std::string& path, std::string_view text, bool waits) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
    return fd < 0 ? errno : write_to(fd, text);
  }
  const std::string real = real_path(path);
  std::string beside = real + ".XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return errno;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);
  int error = write_to(fd, text);
  if (error == 0 && ::rename(beside.c_str(), real.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(beside.c_str());
  return error;
}

}  // namespace

MetricsFile::MetricsFile(std::string path, std::shared_ptr<Metrics> metrics, const asio::any_io_executor& executor)
    : path_(std::move(path)), metrics_(std::move(metrics)), timer_(executor) {}

bool MetricsFile::write() {
  const bool is_first = last_ == SteadyTime::min();
  if (refresh_) refresh_();
  last_ = std::chrono::steady_clock::now();
  const int error = replace_file(path_, metrics_->to_prometheus(), is_first);
  if (error != 0) complain(fmt::format("--metrics: cannot write {}: {}", quoted(path_), std::strerror(error)));
  return error == 0;
}

void MetricsFile::changed() {
  if (is_planned_) return;
  const SteadyTime now = std::chrono::steady_clock::now();
  if (last_ == SteadyTime::min() || now - last_ >= metrics_interval) {
    write();
    return;
  }
  is_planned_ = true;
  timer_.expires_at(last_ + metrics_interval);
  timer_.async_wait([this](const std::error_code& error) {
    is_planned_ = false;
    if (!error) write();
  });
}

}  // namespace rollcall::tools
