// The parent of a program: passes signals on, reaps, notifies the program of announcements for its machines, and ends it in order.
#pragma once

#include <sys/types.h>

#include <array>
#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "command/process/member_news.hpp"
#include "command/process/program.hpp"
#include "command/terminal/signals.hpp"
#include "programs/descendants.hpp"

namespace rollcall::command {

/// Limits notices to a program to one a second of each kind. Further notices within that second are merged: when it is over, the last one
/// and the number of notices are reported.
class Announcements {
 public:
  /// The callback must not destroy this.
  Announcements(const asio::any_io_executor& executor, std::function<void(const std::string& why)> report);

  void add(NewsKind kind, const std::string& why);

 private:
  class Lane {
   public:
    explicit Lane(const asio::any_io_executor& executor) : pause(executor) {}
    asio::steady_timer pause;
    bool is_paused = false;
    std::string last;
    std::size_t waiting = 0;
  };

  void report_and_pause(Lane& lane, const std::string& why);

  std::function<void(const std::string& why)> report_;
  std::array<Lane, news_kinds> lanes_;  // by kind
};

/// Decision: a program stays in this process's group, so that it has the terminal and gets its keys as if it had been started alone; with a
/// group of its own it would be in the background. Processes that it leaves behind are found by descent instead: orphans become this
/// process's children (Linux's "child subreaper"). That also finds processes that moved to a group or session of their own, which a signal
/// to a group misses.
class Supervisor {
 public:
  /// `io` runs everything that goes on while the program runs. `on_notice`: the signal that the program gets for an announcement, and
  /// instead of TERM when it is to end; 0: none.
  Supervisor(asio::io_context& io, int on_notice);

  /// Handles the signals of this process; calls `on_interrupt` for those that end it while no program runs. False: the reason was printed.
  bool open(std::function<void()> on_interrupt);
  /// From here on clear_up() finds all processes that a program has started. False: the reason was printed.
  bool hold_offspring();
  /// Starts the program. 0, or the exit code of a failure, which was printed. From here on, lines that standard error does not accept at
  /// once are dropped and counted.
  int start(Program& program);
  /// While the program runs: reports an announcement, as text and by the signal; at most one a second for each kind of news.
  void announce(NewsKind kind, const std::string& why) { announcements_.add(kind, why); }
  /// Asks the program to end, once; after `grace` it is killed together with all that it started. False: it has ended already.
  bool stop(const std::string& why, Duration grace);
  /// Waits until the program has ended, reaping all other children of this process, as process 1 must. Returns its exit status, 128 + n
  /// when signal n ended it. If even KILL does not end the program, returns after a minute; is_running() is true then.
  int wait();
  bool is_running() const noexcept { return child_ > 0; }
  /// Ends the processes that the program left behind: TERM, and KILL after `grace`, or after the rest of stop()'s grace. False, and
  /// printed, when a process is still alive a minute after that.
  bool clear_up(Duration grace);
  /// True if a signal asked this command to end: TERM, INT, QUIT, or HUP of a closed terminal. Other signals only concern the program.
  bool is_asked_to_end() const noexcept { return is_asked_to_end_; }

  const std::string& program_name() const noexcept { return name_; }

 private:
  void take(ArrivedSignal signal);
  void reap();
  void pass_on(int number);
  void notify_program(const std::string& why);
  void kill_all();
  void pause(Duration time);

  asio::io_context& io_;
  int on_notice_;
  SignalQueue signals_;
  std::function<void()> on_interrupt_;
  Announcements announcements_;
  asio::steady_timer patience_;
  SteadyTime patience_end_{};  ///< when a program is asked to end; else the clock's epoch
  std::set<ProcessId> strangers_;  ///< this process's descendants from before the program
  std::string name_;
  pid_t child_ = -1;  ///< -1: not started, or ended
  int status_ = 0;
  bool holds_offspring_ = false;
  bool is_asked_to_end_ = false;
  bool is_given_up_ = false;
};

}  // namespace rollcall::command
