// Reads a pipe to its end as content arrives, on the event loop, and only while a call waits for it.
#pragma once

#include <array>
#include <asio/any_io_executor.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "rollcall/error.hpp"
#include "rollcall/local_files.hpp"
#include "rollcall/secret.hpp"

namespace rollcall::command {

class PipeReading : public std::enable_shared_from_this<PipeReading> {
 public:
  /// Opens the pipe at `path`, of which at most `max_bytes` are kept. Errors: as Files::read().
  static Result<std::shared_ptr<PipeReading>> open(const asio::any_io_executor& executor, const std::string& path, std::size_t max_bytes);
  PipeReading(const asio::any_io_executor& executor, std::string path, std::size_t max_bytes)
      : path_(std::move(path)), max_bytes_(max_bytes), pipe_(executor) {}
  ~PipeReading();
  PipeReading(const PipeReading&) = delete;
  PipeReading& operator=(const PipeReading&) = delete;

  const std::string& path() const noexcept { return path_; }
  /// Takes the content that has arrived. Returns all of it at the end; not_ready before; limit_exceeded; invalid_argument (it cannot be
  /// read).
  Result<std::string> content();
  /// Calls `then` once, on the executor, when content() returns something other than not_ready; the pipe is watched until then. Dropping
  /// the returned value cancels the call.
  std::shared_ptr<AwaitedFile> await_end(std::function<void()> then);

 private:
  class Waiter;
  void take_what_came();
  void fail(Failure failure);
  void watch();
  void leave(Waiter* waiter);
  void wake_all();

  const std::string path_;
  const std::size_t max_bytes_;
  asio::posix::stream_descriptor pipe_;
  std::string text_;
  bool is_at_end_ = false;
  bool is_watched_ = false;
  std::optional<Failure> failure_;
  std::list<Waiter*> waiters_;
};

}  // namespace rollcall::command
