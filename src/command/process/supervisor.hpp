// The parent of a program: passes signals on, reaps, tells the program what is announced for its machines, and ends it in good order.
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

/// What a program is told of its machines, not more often than it can act on: at most one a second of each kind. What comes sooner is put
/// together: when the second is over the last of it is told, and how many came.
class Announcements {
 public:
  /// `tell` must not destroy this.
  Announcements(const asio::any_io_executor& executor, std::function<void(const std::string& why)> tell);

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

  void tell_and_pause(Lane& lane, const std::string& why);

  std::function<void(const std::string& why)> tell_;
  std::array<Lane, news_kinds> lanes_;  // by kind
};

/// Decision: a program stays in this process's group, so that it has the terminal, and keys reach it, as if it had been started alone; a
/// group of its own would be a background one. What it leaves behind is found by descent instead, orphans having become this process's
/// children (Linux's "child subreaper"): that finds what has gone to a group or session of its own as well, which no signal to a group
/// does.
class Supervisor {
 public:
  /// `io` runs whatever goes on while the program does. `on_notice`: the signal that the program gets for an announcement, and instead of
  /// TERM when it is to end; 0: none.
  Supervisor(asio::io_context& io, int on_notice);

  /// Takes the signals of this process; `on_interrupt` is told of those that end it while no program runs. False: said why.
  bool open(std::function<void()> on_interrupt);
  /// From here on nothing that a program has started escapes clear_up(). False: said why.
  bool hold_offspring();
  /// Starts the program. 0, or the exit code of what went wrong, which was said. What standard error is not ready to take is left out and
  /// counted from here on.
  int start(Program& program);
  /// While it runs: what is announced, in words, and with the signal; at most one a second for each kind of news.
  void announce(NewsKind kind, const std::string& why) { announcements_.add(kind, why); }
  /// Tells it to end, once; after `grace` it is killed, and all that it has started. False: it has ended already.
  bool stop(const std::string& why, Duration grace);
  /// Until the program has ended, reaping whatever else becomes this process's child, as process 1 must. Its exit status, 128 + n when
  /// signal n ended it. A program that even KILL does not end is not waited for more than a minute: then is_running().
  int wait();
  bool is_running() const noexcept { return child_ > 0; }
  /// Ends what the program has left behind: TERM, and KILL after `grace`, or what is left of that of stop(). False, and said, when
  /// something lives on a minute after that.
  bool clear_up(Duration grace);
  /// A signal came that asks this command to end: TERM, INT, QUIT, or HUP of a terminal that is gone. Others are the program's own affair.
  bool is_asked_to_end() const noexcept { return is_asked_to_end_; }

  const std::string& program_name() const noexcept { return name_; }

 private:
  void take(ArrivedSignal signal);
  void reap();
  void pass_on(int number);
  void tell(const std::string& why);
  void kill_all();
  void pause(Duration time);

  asio::io_context& io_;
  int on_notice_;
  SignalQueue signals_;
  std::function<void()> on_interrupt_;
  Announcements announcements_;
  asio::steady_timer patience_;
  SteadyTime patience_end_{};  ///< of a program that is told to end; else the clock's beginning
  std::set<ProcessId> strangers_;  ///< what descended from this process before the program did
  std::string name_;
  pid_t child_ = -1;  ///< -1: not started, or ended
  int status_ = 0;
  bool holds_offspring_ = false;
  bool is_asked_to_end_ = false;
  bool is_given_up_ = false;
};

}  // namespace rollcall::command
