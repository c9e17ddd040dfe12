// The parent of a program: passes signals on, reaps, and tells the program what is announced for its machines.
#pragma once

#include <sys/types.h>

#include <asio/io_context.hpp>
#include <functional>
#include <memory>

#include "command/process/program.hpp"
#include "command/terminal/announcements.hpp"
#include "command/terminal/signals.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::tools {

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
