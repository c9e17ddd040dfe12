// A clock that includes the time in which the machine was suspended: observations age meanwhile. Arithmetic; no clock.
#pragma once

#include "rollcall/time.hpp"

namespace rollcall {

class CountedSleep {
 public:
  /// Both clocks at one moment: the one that stops while the machine is suspended, and the one that does not.
  CountedSleep(SteadyTime steady, Duration since_boot) : steady_(steady), since_boot_(since_boot) {}
  /// The steady clock's time, plus the time of suspension since that moment.
  SteadyTime now(Duration since_boot) const { return steady_ + (since_boot - since_boot_); }

 private:
  SteadyTime steady_;
  Duration since_boot_;
};

}  // namespace rollcall
