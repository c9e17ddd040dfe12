// Shows the progress on a terminal: one line, written anew a few times a second.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include "command/show/progress.hpp"

namespace rollcall::tools {

class ProgressLine {
 public:
  /// Nothing is shown in the first moments, so that a quick answer does not flicker.
  ProgressLine(const asio::any_io_executor& executor, const Progress& progress) : progress_(progress), timer_(executor) {}
  void start() { show_in(std::chrono::milliseconds(300)); }
  /// Takes the line away until the next time.
  void erase() noexcept;
  /// For good; the timer does not hold the loop any more.
  void stop() noexcept;

 private:
  void show_in(std::chrono::milliseconds delay);
  const Progress& progress_;
  asio::steady_timer timer_;
  bool is_shown_ = false;
  bool is_stopped_ = false;
};

}  // namespace rollcall::tools
