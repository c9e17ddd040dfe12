// Standard input and output as streams of the event loop, for a command that reads and writes all its life: pipes, sockets, terminals and
// files.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace rollcall::command {

/// Standard input or output by a descriptor of this process. A descriptor that is shared with others (such as a socket) gets its flags back
/// at the end.
class StandardStream {
 public:
  StandardStream(const asio::any_io_executor& executor, int given, int access);
  ~StandardStream();
  StandardStream(const StandardStream&) = delete;
  StandardStream& operator=(const StandardStream&) = delete;

  /// False if no descriptor was left for it, and after close().
  bool is_open() const noexcept { return stream_.is_open(); }
  /// True for a regular file.
  bool is_file() const noexcept { return is_file_; }
  /// The next bytes; 0 at the end, on an error, and when close() was called. May suspend; cancellable.
  asio::awaitable<std::size_t> read(std::span<char> into);
  /// Writes a part of `text`, which is not empty, and returns its size; 0 when the reader has gone, on another error, and when close() was
  /// called. May suspend while the reader does not read; cancellable.
  asio::awaitable<std::size_t> write(std::string_view text);
  /// Calls `on_gone`, once, when the reader of our output has gone: noticed without writing.
  void when_reader_goes(std::function<void()> on_gone);
  /// Ends running reads and writes.
  void close() noexcept;

 private:
  int given_;
  int flags_ = -1;  // the original flags, if they must be restored
  bool is_file_ = false;
  asio::posix::stream_descriptor stream_;
};

}  // namespace rollcall::command
