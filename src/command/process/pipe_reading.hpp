// A pipe that is read to its end as its content comes, on the event loop: for calls that wait for it, and only while one does.
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
  /// Takes what has come. The content at the end; not_ready before it; limit_exceeded; invalid_argument (it cannot be read).
  Result<std::string> content();
  /// `then` is called once, on the executor, when content() has more to say than not_ready; until then the pipe is watched. Dropping what
  /// is returned takes that back.
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
