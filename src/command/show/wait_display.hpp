// What a waiting person, or the program that reads standard error, is shown.
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
  /// What is shown stays; what comes is shown below it.
  void leave() noexcept { shown_ = 0; }

 private:
  std::size_t shown_ = 0;
};

class WaitDisplay {
 public:
  /// `form`: none given is a table on a terminal, and a line for every change elsewhere.
  WaitDisplay(const asio::any_io_executor& executor, std::optional<ProgressForm> form, WaitSubject subject);
  ~WaitDisplay() { stop(); }

  void take(const WaitProgress& progress);
  /// Takes the table away until it is drawn again.
  void erase() { block_.erase(); }
  /// For good; the table goes, since there is an answer.
  void stop();
  /// For good; the table stays as it is now: there is no answer, and it shows who was missing. After stop() there is none.
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
