// The clock of a process, by which the time counts for which its machine was suspended: what was seen before that is as old as it is.
// Arithmetic; no clock.
#pragma once

#include "rollcall/time.hpp"

namespace rollcall {

class CountedSleep {
 public:
  /// What both clocks say at one moment: the one that stands still while the machine sleeps, and the one that does not.
  CountedSleep(SteadyTime steady, Duration since_boot) : steady_(steady), since_boot_(since_boot) {}
  /// The steady clock's time, and what the machine has slept since that moment.
  SteadyTime now(Duration since_boot) const { return steady_ + (since_boot - since_boot_); }

 private:
  SteadyTime steady_;
  Duration since_boot_;
};

}  // namespace rollcall
