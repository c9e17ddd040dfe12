// Signals for a parent that passes them on: each arrives on the event loop, with the word whether the terminal sent it.
#pragma once

#include <array>
#include <asio/any_io_executor.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// `TERM`, `SIGTERM` or `15`. Errors: invalid_argument.
Result<int> parse_signal(std::string_view text);
/// `TERM`, or the number where it has no name.
std::string signal_name(int number);

class ArrivedSignal {
 public:
  ArrivedSignal(int signal_number, bool by_terminal) : number(signal_number), is_from_terminal(by_terminal) {}
  int number;
  bool is_from_terminal;  ///< by a key: everybody in the foreground has got it
};

/// SIGCHLD and all that can be passed on.
std::vector<int> all_signals();

/// One at a time in a process: signal handlers have no other way to know where to count. None is lost, however many come; of a number that
/// Linux does not queue either (all below SIGRTMIN) those that came since the last look are one. Writes to readers that do not read end
/// when one comes. Not asio::signal_set, which does not tell who sent a signal, and whose pipe can be full.
class SignalQueue {
 public:
  SignalQueue(const asio::any_io_executor& executor, std::vector<int> numbers);
  ~SignalQueue() { stop(); }
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  /// Handlers take their places. False: no pipe could be made; errno says why.
  bool open();
  /// `on_signal` for every signal, until stop() or destruction.
  void listen(std::function<void(ArrivedSignal)> on_signal);
  /// The usual dispositions are back. True: a signal has come that was not told.
  bool stop();

 private:
  void read_more();
  void tell();

  asio::posix::stream_descriptor pipe_;
  std::vector<int> numbers_;
  std::function<void(ArrivedSignal)> on_signal_;
  std::array<char, 256> wakings_;
};

/// What ends a command: the first SIGINT, SIGTERM, SIGHUP (unless it is ignored, as nohup has it) or SIGQUIT is passed to the command, and
/// from then on no reader is waited for; the next one kills this process at once, with the process groups of what it has started.
class EndSignals {
 public:
  explicit EndSignals(const asio::any_io_executor& executor);
  void listen(std::function<void()> on_signal);
  /// The next one kills from here on. True: one has come that was not told.
  bool stop();

 private:
  SignalQueue signals_;
  bool is_listening_ = false;
};

}  // namespace rollcall::command
