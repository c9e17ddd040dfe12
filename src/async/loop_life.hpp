// Executors from outside: making them serial, and finding out whether their loop still goes.
#pragma once

#include <asio/any_io_executor.hpp>
#include <atomic>
#include <memory>

namespace rollcall {

/// `given` if it is known to run one handler at a time: an io_context's (one thread must run it, which cannot be checked), or a strand;
/// else a strand over it. A strand over a serial executor would do no harm but costs a little.
asio::any_io_executor made_serial(asio::any_io_executor given);

/// Whether handlers that are posted to an executor will run. Outlives the loop.
class LoopLife {
 public:
  explicit LoopLife(asio::any_io_executor executor);
  /// False: the loop is being destroyed, or an io_context has stopped, and nothing runs on it. From any thread.
  bool is_going() const;

 private:
  asio::any_io_executor executor_;
  std::shared_ptr<const std::atomic<bool>> is_over_;
};

}  // namespace rollcall
