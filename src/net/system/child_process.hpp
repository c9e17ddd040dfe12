// A program that this process has started: its pipes, its end, and its signals.
#pragma once

#include <sys/types.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "rollcall/program_runner.hpp"

namespace rollcall {

/// Destroying it before finish() kills the program.
class ChildProcess {
 public:
  /// `watches_end`: use a descriptor of the process (pidfd, Linux 5.3 and later) if available; else the process is polled every ten
  /// milliseconds. Errors: as ProgramRunner::run.
  static Result<std::shared_ptr<ChildProcess>> start(const asio::any_io_executor& executor, const ProgramRequest& request,
                                                     bool watches_end);
  explicit ChildProcess(const asio::any_io_executor& executor) : output_(executor), errors_(executor), end_(executor) {}
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Suspends until the program itself has ended, then ends the readers: its child processes may hold the pipes open. Cancellable.
  asio::awaitable<Result<void>> await_end();
  /// Both read until the pipe's end, or until it is empty after the program's end. Errors: limit_exceeded.
  asio::awaitable<Result<void>> read_output(std::size_t max_bytes);
  asio::awaitable<Result<void>> read_errors();

  /// What it has written to its standard error, of a long text the beginning and the end.
  std::string errors() const;

  /// To its process group, or only to it if it has none of its own. Not after finish(): the process id may have been reused then.
  void signal(int number) noexcept;
  /// Reaps it. Errors: failed_precondition, if another part of this process has done so already.
  Result<ProgramOutput> finish();

 private:
  bool has_ended() noexcept;
  bool reap(int& wait_status) noexcept;

  asio::posix::stream_descriptor output_;
  asio::posix::stream_descriptor errors_;
  asio::posix::stream_descriptor end_;
  std::string name_;
  std::string output_text_;  ///< read buffer, wiped after use
  std::size_t output_size_ = 0;
  std::string errors_text_;
  std::function<void(const std::string&)> on_errors_;  ///< see ProgramRequest; called by read_errors() alone
  bool has_gap_ = false;  ///< in the middle of errors_text_
  pid_t child_ = -1;  ///< -1: not started, or reaped
  bool leads_group_ = false;
  bool has_ended_ = false;
};

}  // namespace rollcall
