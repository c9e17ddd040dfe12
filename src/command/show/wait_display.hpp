// The display of a wait, for a user or for a program that reads standard error.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <string>
#include <vector>

#include "command/arguments/command_table.hpp"
#include "command/show/wait_table.hpp"
#include "rollcall/wait.hpp"

namespace rollcall::command {

class LiveBlock {
 public:
  /// Standard error. Each line must be shorter than the terminal is wide.
  void show(const std::vector<std::string>& lines);
  void erase();
  /// Keeps the shown lines; further output is shown below them.
  void leave() noexcept { shown_ = 0; }

 private:
  std::size_t shown_ = 0;
};

class WaitDisplay {
 public:
  /// `form`: by default a table on a terminal, and a line for every change elsewhere.
  WaitDisplay(const asio::any_io_executor& executor, std::optional<ProgressForm> form, WaitSubject subject);
  ~WaitDisplay() { stop(); }

  void take(const WaitProgress& progress);
  /// Removes the table until it is drawn again.
  void erase() { block_.erase(); }
  /// Removes the table for good, since there is an answer.
  void stop();
  /// Leaves the table as it is for good: there is no answer, and it shows the missing members. After stop() there is none.
  void leave();

 private:
  void draw();
  void draw_again();

  ProgressForm form_;
  WaitSubject subject_;
  asio::steady_timer timer_;
  LiveBlock block_;
  ShownProgress progress_;
  bool is_ticking_ = false;
  bool is_drawn_ = false;
};

}  // namespace rollcall::command
