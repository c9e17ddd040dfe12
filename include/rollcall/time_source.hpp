// The interface to the clock, so that a test can replace it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "rollcall/time.hpp"

namespace rollcall {

/// A one-shot alarm. Destroying it clears it.
class Alarm {
 public:
  virtual ~Alarm() = default;
  /// Rings once, at `when` or as soon after as the loop allows; replaces an earlier setting.
  virtual void set(SteadyTime when) = 0;
  /// Forgets the setting. A ring that is already queued may still be delivered.
  virtual void clear() = 0;
};

/// The library's source of time. Decision: an alarm rather than an awaitable sleep is the primitive, because one alarm serves every
/// deadline and sleep of a Runtime through one queue; `Call::sleep_until` is built on it.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  /// Monotonic; used for every deadline and delay.
  virtual SteadyTime now() const = 0;
  /// UTC; used only for dates (token expiry, HTTP dates, symptom times).
  virtual WallTime wall_now() const = 0;
  /// `ring` is called on `executor`, never from within set() or clear().
  virtual std::unique_ptr<Alarm> make_alarm(asio::any_io_executor executor, std::function<void()> ring) = 0;
};

/// The machine's own clocks.
std::shared_ptr<TimeSource> system_time();

}  // namespace rollcall
