// Standard input and output as streams of the event loop, for a command that reads and writes for as long as it lives: pipes, sockets,
// terminals and files.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace rollcall::command {

/// Standard input or output by a descriptor of our own. What others share with us (a socket, say) gets its flags back at the end.
class StandardStream {
 public:
  StandardStream(const asio::any_io_executor& executor, int given, int access);
  ~StandardStream();
  StandardStream(const StandardStream&) = delete;
  StandardStream& operator=(const StandardStream&) = delete;

  /// False where there was no descriptor left for it, and after close().
  bool is_open() const noexcept { return stream_.is_open(); }
  /// True if there is a regular file behind it.
  bool is_file() const noexcept { return is_file_; }
  /// The next bytes; 0 at the end, on an error, and when close() was called. May suspend; cancellable.
  asio::awaitable<std::size_t> read(std::span<char> into);
  /// How much was written of `text`, which is not empty; 0 when nobody reads any more, on another error, and when close() was called. May
  /// suspend while nobody reads; cancellable.
  asio::awaitable<std::size_t> write(std::string_view text);
  /// Calls `on_gone`, once, when whoever is to read what we write has gone: noticed without writing.
  void when_reader_goes(std::function<void()> on_gone);
  /// Ends what is under way.
  void close() noexcept;

 private:
  int given_;
  int flags_ = -1;  // as they were, where they must be set again
  bool is_file_ = false;
  asio::posix::stream_descriptor stream_;
};

}  // namespace rollcall::command
