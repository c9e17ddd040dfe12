// --metrics FILE: numbers for Prometheus' textfile collector, whole at every moment.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "rollcall/metrics.hpp"

namespace rollcall::tools {

/// Writes beside FILE and renames, so that a reader never sees half of it; what is no regular file, as /dev/stdout, is written as it is.
class MetricsFile {
 public:
  MetricsFile(std::string path, std::shared_ptr<Metrics> metrics, const asio::any_io_executor& executor);

  /// Now, whatever changed() has planned. False, and said on standard error: it could not be written.
  bool write();
  /// Writes soon, but not more often than once a second.
  void changed();
  void stop() { timer_.cancel(); }

 private:
  std::string path_;
  std::shared_ptr<Metrics> metrics_;
  asio::steady_timer timer_;
  SteadyTime last_ = SteadyTime::min();
  bool is_planned_ = false;
};

}  // namespace rollcall::tools
