// The progress line that a waiting user sees.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <string>

#include "rollcall/log.hpp"

namespace rollcall::command {

class Progress {
 public:
  Progress(std::size_t targets, SteadyTime started) : targets_(targets), started_(started) {}

  void take(const Event& event);
  /// A target with a call of its own is done. (The members of a union have events.)
  void count(bool is_resolved) { ++(is_resolved ? resolved_ : failed_); }
  /// `3/40 resolved, 1 failed · waiting 1.2 s, then again (HTTP 503) · 4 s`, at most `width` columns.
  std::string line(SteadyTime now, std::size_t width) const;
  /// Credentials are being obtained, perhaps by a program that asks the user: nothing may overwrite its question.
  bool may_be_asking() const noexcept { return refreshing_ > 0; }

 private:
  std::size_t targets_;
  SteadyTime started_;
  std::size_t resolved_ = 0;
  std::size_t failed_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t refreshing_ = 0;
  SteadyTime resume_at_{};  ///< end of the latest back-off
  std::string trouble_;
};

class ProgressLine {
 public:
  /// Shows nothing in the first moments, so that a quick answer does not flicker.
  ProgressLine(const asio::any_io_executor& executor, const Progress& progress) : progress_(progress), timer_(executor) {}
  void start() { show_in(std::chrono::milliseconds(300)); }
  /// Removes the line until the next update.
  void erase() noexcept;
  /// Removes it for good; its timer does not hold the loop any more.
  void stop() noexcept;

 private:
  void show_in(std::chrono::milliseconds delay);
  const Progress& progress_;
  asio::steady_timer timer_;
  bool is_shown_ = false;
  bool is_stopped_ = false;
};

}  // namespace rollcall::command
