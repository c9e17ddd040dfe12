// Executors from outside: making them serial, finding out whether their loop still goes, and going with it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <atomic>
#include <boost/intrusive/list_hook.hpp>
#include <memory>
#include <mutex>

namespace rollcall {

/// `given` if it is known to run one handler at a time: an io_context's (one thread must run it, which cannot be checked), or a strand;
/// else a strand over it. A strand over a serial executor would do no harm but costs a little.
asio::any_io_executor made_serial(asio::any_io_executor given);

/// Whether handlers that are posted to an executor will run. Outlives the loop.
class LoopLife {
 public:
  explicit LoopLife(asio::any_io_executor executor);
  /// False: its context is being destroyed, or is no more; what is posted to it never runs, or is an error. From any thread.
  bool is_there() const noexcept { return is_over_ && !*is_over_; }
  /// False: the loop is being destroyed, or an io_context has stopped, and nothing runs on it. From any thread.
  bool is_going() const;

 private:
  asio::any_io_executor executor_;
  std::shared_ptr<const std::atomic<bool>> is_over_;
};

/// Has sockets or timers of a loop without an operation of theirs being under way, and may outlive it: Asio's objects must not.
class LoopEnd : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  LoopEnd(const LoopEnd&) = delete;
  LoopEnd& operator=(const LoopEnd&) = delete;
  /// The loop is being destroyed: gives up all Asio objects. What is under way may still be told of later.
  virtual void on_loop_end() noexcept = 0;

 protected:
  /// `executor` may be empty: there is no loop then.
  explicit LoopEnd(const asio::any_io_executor& executor);
  virtual ~LoopEnd();

 private:
  friend class EndService;
  std::mutex* mutex_ = nullptr;  // of the list that it stands in
};

}  // namespace rollcall
