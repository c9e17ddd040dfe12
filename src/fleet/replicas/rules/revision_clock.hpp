// When the store was at which revision, by this process's own clock. What the store tells may come late, by a watch that hangs as by a
// write that was long on its way, and nothing in it shows that. But whatever has a higher revision than an answer was written after the
// question.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "rollcall/time.hpp"

namespace rollcall::fleet {

class RevisionClock {
 public:
  RevisionClock() {}
  /// By so much may written_at() be too late. Too early it is seldom by more than two seconds: own writes are one apart.
  static constexpr Duration error = std::chrono::milliseconds(400);
  static constexpr Duration between_marks = std::chrono::milliseconds(100);
  static constexpr std::size_t most_marks = 256;  ///< half a minute at least, and usually some; what is older is not known any more

  /// What was asked then was answered as of this revision: what has a higher one was written later.
  void answered(SteadyTime asked_at, std::uint64_t revision);
  /// What was sent then is of this revision, as what comes with it or after it is of a later time.
  void wrote(SteadyTime sent_at, std::uint64_t revision) {
    if (revision != 0) answered(sent_at, revision - 1);
  }
  /// When the store reached this revision, at the earliest, but for `error`; never later than now. None: before all that is known.
  std::optional<SteadyTime> written_at(std::uint64_t revision, SteadyTime now) const;
  /// The store begins another history.
  void clear() { marks_.clear(); }

 private:
  std::map<std::uint64_t, SteadyTime> marks_;  // rising in both
};

}  // namespace rollcall::fleet
