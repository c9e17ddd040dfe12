// --metrics FILE: numbers for Prometheus' textfile collector, whole at every moment.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rollcall/metrics.hpp"

namespace rollcall::command {

/// Writes beside FILE and renames, so that a reader never sees half of it; what is no regular file, as /dev/stdout, is written as it is.
class MetricsFile {
 public:
  MetricsFile(std::string path, std::shared_ptr<Metrics> metrics, const asio::any_io_executor& executor);

  /// Now, whatever changed() has planned. Errors: invalid_argument, naming the file.
  Result<void> try_write();
  /// The same. False, and said on standard error: it could not be written.
  bool write();
  /// Called before each write from now on, to bring the numbers up to date.
  void refresh_by(std::function<void()> refresh) { refresh_ = std::move(refresh); }
  /// Writes soon, but not more often than once a second.
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
