// Shared by the commands that ask a cloud: the event loop, Ctrl-C, events on standard error, the trace, the progress line.
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
#include "rollcall/sim/recorder.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::command {

class CommandSession {
 public:
  /// `arguments` must outlive it; `targets`: their number, for the progress.
  CommandSession(const Arguments& arguments, std::size_t targets);
  CommandSession(const CommandSession&) = delete;
  CommandSession& operator=(const CommandSession&) = delete;

  /// Opens the trace, reads a token that can be read only once, and makes the Runtime. False when one of them fails, which is wrong usage;
  /// the reason was printed.
  bool open();
  asio::any_io_executor executor() { return io_.get_executor(); }
  asio::io_context& loop() noexcept { return io_; }  ///< for work that continues after wait()
  /// The command shows its own progress; call it before open().
  void hide_progress() noexcept { is_progress_hidden_ = true; }
  /// Another object handles signals: it calls interrupt(), and its work on the loop does not delay the end of wait(); call it before
  /// open().
  void leave_signals() noexcept { are_signals_left_ = true; }
  /// The Runtime is used after wait() as well, if wait() brought an answer; call it before wait(). Otherwise wait() ends all running work.
  void keep_runtime() noexcept { keeps_runtime_ = true; }
  /// Ignores ROLLCALL_SERVER, because the command is a server itself; call it before open().
  void ask_directly() noexcept { asks_directly_ = true; }
  /// A signal is the normal end of the command and is not reported; call it before wait().
  void expect_signal() noexcept { is_signal_expected_ = true; }
  /// All HTTP goes through `recorder`, which must outlive this, and no service is asked in place of the clouds; call it before open().
  void record_into(sim::Recorder& recorder) noexcept { recorder_ = &recorder; }
  /// Counts without --metrics, too; call it before open().
  void count() noexcept { counts_ = true; }
  SteadyTime started() const noexcept { return started_; }
  const std::shared_ptr<Metrics>& metrics() const noexcept { return metrics_; }  ///< after open(); null: counting is off
  /// Cancels all questions, as a signal does.
  void interrupt();
  const Runtime& runtime() const { return *runtime_; }  ///< after open()
  CallOptions call_options() const;
  Progress& progress() noexcept { return progress_; }
  /// For --metrics: the cluster's status. Written at most once a second, and at the end.
  void update_metrics(const ClusterStatus& status);
  /// The same for a watched cluster: its status is read when the metrics are written, not at each change.
  void update_metrics_from(const std::shared_ptr<const ClusterWatch>& following);
  /// Writes the metrics at the end of work that continued after wait().
  void write_metrics();
  /// Call it before printing during wait(): removes the progress line until it is shown again.
  void clear_line() noexcept { progress_line_.erase(); }
  /// `erase` removes a command's own progress before an event is printed; null: no progress any more. Call it after open().
  void before_line(std::function<void()> erase) { sink_->before_line = std::move(erase); }

  /// Starts a question. `on_done(Result<T>)` gets its answer during wait(), also when it was cancelled.
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

  /// Runs until every question has its answer; then writes the trace and the metrics. False when a signal came, which was printed unless it
  /// was expected.
  bool wait();
  /// `code`, or failure when `code` is success but the trace or the metrics could not be written; call it after wait().
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
  sim::Recorder* recorder_ = nullptr;  ///< null: nothing is recorded
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
  bool has_failed_ = false;  // of a question
  bool asks_directly_ = false;
  bool counts_ = false;
  bool is_interrupted_ = false;
  bool is_signal_expected_ = false;
  bool is_trace_lost_ = false;
  bool is_metrics_lost_ = false;
};

}  // namespace rollcall::command
