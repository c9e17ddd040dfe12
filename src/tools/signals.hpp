// Signals for a parent that passes them on: each arrives on the event loop, with the word whether the terminal sent it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::tools {

/// `TERM`, `SIGTERM` or `15`. Errors: invalid_argument.
Result<int> parse_signal(std::string_view text);
/// `TERM`, or the number where it has no name.
std::string signal_name(int number);

/// Whoever started us may have blocked some, SIGCHLD even.
void unblock_signals() noexcept;

class ArrivedSignal {
 public:
  int number = 0;
  bool is_from_terminal = false;  ///< by a key: everybody in the foreground has got it
};

/// One at a time in a process: signal handlers have no other way to know where to write. Catches SIGCHLD and all that can be passed on.
/// Not asio::signal_set, which does not tell who sent a signal.
class SignalQueue {
 public:
  explicit SignalQueue(const asio::any_io_executor& executor);
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  /// Handlers take their places. False: no pipe could be made; errno says why.
  bool open();
  /// `on_signal` for every signal, until stop() or destruction.
  void listen(std::function<void(ArrivedSignal)> on_signal);
  void stop();

 private:
  void read_more();

  asio::posix::stream_descriptor pipe_;
  std::function<void(ArrivedSignal)> on_signal_;
  ArrivedSignal next_;
};

}  // namespace rollcall::tools
