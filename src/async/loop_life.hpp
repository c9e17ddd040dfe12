// Executors from outside: makes them serial, detects whether their loop still runs, and notifies users of its end.
#pragma once

#include <asio/any_io_executor.hpp>
#include <atomic>
#include <boost/intrusive/list_hook.hpp>
#include <memory>
#include <mutex>

namespace rollcall {

/// `given` if it is known to run one handler at a time: an io_context's (one thread must run it, which cannot be checked), or a strand;
/// else a strand over it. A strand over a serial executor would be harmless but costs a little.
asio::any_io_executor made_serial(asio::any_io_executor given);

/// Answers whether handlers that are posted to an executor will run. Outlives the loop.
class LoopLife {
 public:
  explicit LoopLife(asio::any_io_executor executor);
  /// False: its context is being destroyed, or no longer exists; posted handlers never run, or posting is an error. From any thread.
  bool is_there() const noexcept { return is_over_ && !*is_over_; }
  /// False: the loop is being destroyed, or an io_context has stopped and no handler runs on it. From any thread.
  bool is_going() const;

 private:
  asio::any_io_executor executor_;
  std::shared_ptr<const std::atomic<bool>> is_over_;
};

/// Base of objects that own sockets or timers of a loop without a pending operation and may outlive the loop: Asio's objects must not.
class LoopEnd : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  LoopEnd(const LoopEnd&) = delete;
  LoopEnd& operator=(const LoopEnd&) = delete;
  /// The loop is being destroyed: destroys all Asio objects. Pending operations may still complete later.
  virtual void on_loop_end() noexcept = 0;

 protected:
  /// `executor` may be empty: there is no loop then.
  explicit LoopEnd(const asio::any_io_executor& executor);
  virtual ~LoopEnd();

 private:
  friend class EndService;
  std::mutex* mutex_ = nullptr;  // of the service's list
};

}  // namespace rollcall
