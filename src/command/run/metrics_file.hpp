// --metrics FILE: numbers for Prometheus' textfile collector; the file is complete at every moment.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rollcall/metrics.hpp"

namespace rollcall::command {

/// Writes a file beside FILE and renames it, so that a reader never sees a part; a file that is not regular, such as /dev/stdout, is
/// written directly.
class MetricsFile {
 public:
  MetricsFile(std::string path, std::shared_ptr<Metrics> metrics, const asio::any_io_executor& executor);

  /// Writes now, even if changed() has planned a later write. Errors: invalid_argument, naming the file.
  Result<void> try_write();
  /// The same. False, with a message on standard error: it could not be written.
  bool write();
  /// `refresh` is called before each write from now on, to bring the numbers up to date.
  void refresh_by(std::function<void()> refresh) { refresh_ = std::move(refresh); }
  /// Plans a write, at most one a second.
  void changed();
  void stop() { timer_.cancel(); }

 private:
  std::string path_;
  std::shared_ptr<Metrics> metrics_;
  asio::steady_timer timer_;
  SteadyTime last_ = SteadyTime::min();
  bool is_planned_ = false;
  std::function<void()> refresh_;
};

}  // namespace rollcall::command
