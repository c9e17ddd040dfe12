// A program that this process has started: its pipes, its end, and the signals that it gets.
#pragma once

#include <sys/types.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <memory>
#include <string>

#include "rollcall/program_runner.hpp"

namespace rollcall {

/// Whoever drops it before finish() kills the program.
class ChildProcess {
 public:
  /// `watches_end`: by a descriptor of the process (pidfd, Linux 5.3 and later) where there is one; else the process is looked at every ten
  /// milliseconds. Errors: as ProgramRunner::run.
  static Result<std::shared_ptr<ChildProcess>> start(const asio::any_io_executor& executor, const ProgramRequest& request,
                                                     bool watches_end);
  explicit ChildProcess(const asio::any_io_executor& executor) : output_(executor), errors_(executor), end_(executor) {}
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Suspends until the program itself has ended, then lets the readers go: what it left behind may hold the pipes. Cancellable.
  asio::awaitable<Result<void>> await_end();
  /// Both read until the pipe's end, or until nothing more is in it after the program's end. Errors: limit_exceeded.
  asio::awaitable<Result<void>> read_output(std::size_t max_bytes);
  asio::awaitable<Result<void>> read_errors();

  /// To its process group, or to it alone if it has none of its own. Not after finish(): the number may be another's then.
  void signal(int number) noexcept;
  /// Reaps it. Errors: failed_precondition, when another part of this process has done so without a word.
  Result<ProgramOutput> finish();

 private:
  bool has_ended() noexcept;
  bool reap(int& wait_status) noexcept;

  asio::posix::stream_descriptor output_;
  asio::posix::stream_descriptor errors_;
  asio::posix::stream_descriptor end_;
  std::string name_;
  std::string output_text_;  ///< room for what is read, wiped wherever it lay
  std::size_t output_size_ = 0;
  std::string errors_text_;
  pid_t child_ = -1;  ///< -1: not started, or reaped
  bool leads_group_ = false;
  bool has_ended_ = false;
};

}  // namespace rollcall
