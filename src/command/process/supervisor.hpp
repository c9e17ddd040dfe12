// The parent of a program: passes signals on, reaps, and tells the program what is announced for its machines.
#pragma once

#include <sys/types.h>

#include <array>
#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "command/process/program.hpp"
#include "command/terminal/signals.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::tools {

enum class AnnouncementKind { preemption, maintenance, members, end };

/// What a program is told of its machines, not more often than it can act on: at most one a second of each kind. What comes sooner is put
/// together: when the second is over the last of it is told, and how many came.
class Announcements {
 public:
  /// `tell` must not destroy this.
  Announcements(const asio::any_io_executor& executor, std::function<void(const std::string& why)> tell);

  void add(AnnouncementKind kind, const std::string& why);

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
  std::array<Lane, 4> lanes_;  // by kind
};

class Supervisor {
 public:
  /// `io` runs the Runtime that `following` belongs to. `waited`: how the cluster stood when it was ready. `on_notice`: the signal that the
  /// program gets for a notice, and when members of the cluster leave or can never be ready again, once until it was ready again; at most
  /// one a second for each kind of news. What standard error is not ready to take is left out and counted. `on_status` is told how the
  /// cluster stands, whenever that changes.
  Supervisor(asio::io_context& io, std::shared_ptr<ClusterWatch> following, ClusterStatus waited, int on_notice,
             std::function<void(const ClusterStatus&)> on_status);

  /// Starts the program and returns its exit status when it has ended, 128 + n when signal n ended it, or why it could not be started. Also
  /// reaps whatever else becomes this process's child, as PID 1 must.
  int run(Program& program);

 private:
  void take(ArrivedSignal signal);
  void reap();
  void pass_on(int number);
  asio::awaitable<void> follow();
  void compare_with_waited();
  void consider(const ClusterChange& change);
  void tell_loss(const std::string& why);
  void announce(const std::string& why);

  asio::io_context& io_;
  std::shared_ptr<ClusterWatch> following_;
  ClusterStatus waited_;
  int on_notice_;
  std::function<void(const ClusterStatus&)> on_status_;
  SignalQueue signals_;
  Announcements announcements_;
  std::string name_;
  pid_t child_ = -1;  ///< -1: not started, or ended
  int status_ = 0;
  bool has_told_loss_ = false;  ///< since the cluster was last ready
};

}  // namespace rollcall::tools
