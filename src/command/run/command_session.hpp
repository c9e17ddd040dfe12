// What the commands that ask a cloud have in common: the event loop, Ctrl-C, events on standard error, the trace, the progress.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <deque>
#include <exception>
#include <memory>
#include <optional>

#include "base/exceptions.hpp"
#include "command/arguments/command_table.hpp"
#include "command/run/metrics_file.hpp"
#include "command/show/command_sink.hpp"
#include "command/show/progress.hpp"
#include "command/terminal/signals.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::command {

class CommandSession {
 public:
  /// `arguments` must outlive it; `targets`: how many, for the progress.
  CommandSession(const Arguments& arguments, std::size_t targets);
  CommandSession(const CommandSession&) = delete;
  CommandSession& operator=(const CommandSession&) = delete;

  /// Opens the trace, reads a token that can be read only once, and makes the Runtime. False, and said on standard error, when
  /// one of them fails: wrong usage.
  bool open();
  asio::any_io_executor executor() { return io_.get_executor(); }
  asio::io_context& loop() noexcept { return io_; }  ///< for what goes on after wait()
  /// The command shows a progress of its own; before open().
  void hide_progress() noexcept { is_progress_hidden_ = true; }
  /// Signals are somebody else's, who calls interrupt(), and whose work on the loop does not hold wait() up; before open().
  void leave_signals() noexcept { are_signals_left_ = true; }
  /// The Runtime is used after wait() as well, where that brought an answer; before wait(). Others end there with all that is under way.
  void keep_runtime() noexcept { keeps_runtime_ = true; }
  /// No server of ROLLCALL_SERVER is asked: the command is one; before open().
  void ask_directly() noexcept { asks_directly_ = true; }
  /// A signal is how the command ends, and nothing is said of it; before wait().
  void expect_signal() noexcept { is_signal_expected_ = true; }
  /// Counts without --metrics, too; before open().
  void count() noexcept { counts_ = true; }
  SteadyTime started() const noexcept { return started_; }
  const std::shared_ptr<Metrics>& metrics() const noexcept { return metrics_; }  ///< after open(); null: nothing is counted
  /// Ends what is asked, as a signal does.
  void interrupt();
  const Runtime& runtime() const { return *runtime_; }  ///< after open()
  CallOptions call_options() const;
  Progress& progress() noexcept { return progress_; }
  /// For --metrics: how the cluster stands now. Written at most once a second, and at the end.
  void tell(const ClusterStatus& status);
  /// The same of a cluster that is watched: looked at when the metrics are written, not at each of many changes.
  void tell_of(const std::shared_ptr<const ClusterWatch>& following);
  /// The end of what went on after wait().
  void write_metrics();
  /// Before anything is printed during wait(): takes the progress away until it is shown again.
  void clear_line() noexcept { progress_line_.erase(); }
  /// A command's own progress is taken away by this instead, when an event is printed; null: there is none any more. After open().
  void before_line(std::function<void()> erase) { sink_->before_line = std::move(erase); }

  /// Starts a question. `on_done(Result<T>)` gets its answer, during wait(); a cancelled one's as well.
  template <class T, class OnDone>
  void ask(asio::awaitable<Result<T>> question, OnDone on_done) {
    ++pending_;
    cancellations_.emplace_back();
    auto finish = [this, on_done = std::move(on_done)](std::exception_ptr error, Result<T> answer) mutable {
      has_failed_ = has_failed_ || error || answer.has_error();
      on_done(error ? Result<T>(failure_of_thrown(std::move(error), "rollcall")) : std::move(answer));
      if (--pending_ == 0) end();
    };
    asio::co_spawn(io_, std::move(question), asio::bind_cancellation_slot(cancellations_.back().slot(), std::move(finish)));
  }

  /// Until every question has its answer; writes the trace and the metrics. False when a signal came, and said on standard error unless it
  /// was expected.
  bool wait();
  /// `code`, or failure when that is success but the trace or the metrics could not be written; after wait().
  int exit_code(int code) const noexcept;

 private:
  RuntimeOptions runtime_options();
  void write_trace();
  void end();

  const Arguments& arguments_;
  asio::io_context io_;
  EndSignals signals_;
  SteadyTime started_;
  Progress progress_;
  ProgressLine progress_line_;
  std::shared_ptr<Credentials> credentials_;  ///< none: the default ones
  std::shared_ptr<CommandSink> sink_;
  std::shared_ptr<Metrics> metrics_;  ///< null without --metrics and count()
  std::optional<MetricsFile> metrics_file_;
  std::optional<Runtime> runtime_;
  std::deque<asio::cancellation_signal> cancellations_;
  std::size_t pending_ = 0;
  int trace_fd_ = -1;
  bool progress_shown_ = false;
  bool is_progress_hidden_ = false;
  bool are_signals_left_ = false;
  bool keeps_runtime_ = false;
  bool has_failed_ = false;  // a question
  bool asks_directly_ = false;
  bool counts_ = false;
  bool is_interrupted_ = false;
  bool is_signal_expected_ = false;
  bool is_trace_lost_ = false;
  bool is_metrics_lost_ = false;
};

}  // namespace rollcall::command
