// Signals for a parent that passes them on: each arrives on the event loop, and says whether the terminal sent it.
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
/// `TERM`, or the number if it has no name.
std::string signal_name(int number);

class ArrivedSignal {
 public:
  ArrivedSignal(int signal_number, bool by_terminal) : number(signal_number), is_from_terminal(by_terminal) {}
  int number;
  bool is_from_terminal;  ///< by a key: every process in the foreground got it
};

/// SIGCHLD and all signals that can be passed on.
std::vector<int> all_signals();

/// One object at a time in a process, because signal handlers need one place to count. No signal is lost; signals that Linux does not queue
/// (all below SIGRTMIN) count as one between two reads. A write to a reader that does not read ends when a signal comes. Not
/// asio::signal_set, which does not report who sent a signal, and whose pipe can be full.
class SignalQueue {
 public:
  SignalQueue(const asio::any_io_executor& executor, std::vector<int> numbers);
  ~SignalQueue() { stop(); }
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  /// Installs the handlers. False: no pipe could be made; errno has the reason.
  bool open();
  /// Calls `on_signal` for every signal, until stop() or destruction.
  void listen(std::function<void(ArrivedSignal)> on_signal);
  /// Restores the former dispositions. True: a signal has come that was not reported.
  bool stop();

 private:
  void read_more();
  void report_arrived();

  asio::posix::stream_descriptor pipe_;
  std::vector<int> numbers_;
  std::function<void(ArrivedSignal)> on_signal_;
  std::array<char, 256> wakings_;
};

/// The signals that end a command: the first SIGINT, SIGTERM, SIGHUP (unless it is ignored, as by nohup) or SIGQUIT is passed to the
/// command, and from then on writes do not wait for readers; the next one kills this process at once, with the process groups that it has
/// started.
class EndSignals {
 public:
  explicit EndSignals(const asio::any_io_executor& executor);
  void listen(std::function<void()> on_signal);
  /// The next signal kills from here on. True: a signal has come that was not reported.
  bool stop();

 private:
  SignalQueue signals_;
  bool is_listening_ = false;
};

}  // namespace rollcall::command
