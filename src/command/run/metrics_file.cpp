#include "command/run/metrics_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/process/replaced_file.hpp"
#include "command/terminal/console.hpp"

namespace rollcall::command {
namespace {

constexpr Duration metrics_interval = std::chrono::seconds(1);

// `waits`: wait for a reader of a FIFO.
int replace_file(const std::string& path, std::string_view text, bool waits) {
  struct stat status{};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (!is_there && errno != ENOENT) return errno;
  if (is_there && !S_ISREG(status.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
    return fd < 0 ? errno : write_and_close(fd, text);
  }
  return replace_regular_file(path, text, Durability::against_readers, FileMode::as_before);
}

}  // namespace

MetricsFile::MetricsFile(std::string path, std::shared_ptr<Metrics> metrics, const asio::any_io_executor& executor)
    : path_(std::move(path)), metrics_(std::move(metrics)), timer_(executor) {}

Result<void> MetricsFile::try_write() {
  const bool is_first = last_ == SteadyTime::min();
  if (refresh_) refresh_();
  last_ = std::chrono::steady_clock::now();
  const int error = replace_file(path_, metrics_->to_prometheus(), is_first);
  if (error == 0) return Result<void>();
  return Failure(Errc::invalid_argument, fmt::format("--metrics: cannot write {}: {}", quoted_path(path_), std::strerror(error)));
}

bool MetricsFile::write() {
  const Result<void> written = try_write();
  if (!written) complain(written.error());
  return written.has_value();
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

}  // namespace rollcall::command
