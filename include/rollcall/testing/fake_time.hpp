// A clock that moves only when the test advances it. For the library's tests and for its users' tests.
#pragma once

#include <cstddef>
#include <optional>

#include "rollcall/time_source.hpp"

namespace rollcall::testing {

/// Starts at steady time 0 and at a wall time of choice. Not thread-safe: use it from the loop's thread.
///
/// A test polls the io_context until nothing is ready, then advances to next_alarm():
///     while (!done) { io.restart(); if (io.poll() == 0) time->advance_to(*time->next_alarm()); }
class FakeTime final : public TimeSource {
 public:
  explicit FakeTime(WallTime wall_start = WallTime(std::chrono::hours(24 * 365 * 30)));
  ~FakeTime() override;

  SteadyTime now() const override;
  WallTime wall_now() const override;
  std::unique_ptr<Alarm> make_alarm(asio::any_io_executor executor, std::function<void()> ring) override;

  /// Moves both clocks; alarms due by then are posted to their executors in order of their times.
  void advance(Duration by);
  /// The same, to an absolute time; a time that has passed changes nothing but delivers due alarms.
  void advance_to(SteadyTime when);
  /// Moves the wall clock alone, as an administrator or NTP would.
  void set_wall(WallTime wall);

  /// The earliest time that a timer is set to.
  std::optional<SteadyTime> next_alarm() const;
  /// How many alarms are set.
  std::size_t alarms() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rollcall::testing
