// A wait as a table for a terminal. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rollcall/wait_progress.hpp"

namespace rollcall::command {

/// The part of a wait's status that fits into a table, also for large clusters: the members missing longest, grouped by state.
class ShownProgress {
 public:
  class Group {
   public:
    Group() {}
    std::string who;
    std::string why;
    MemberState state = MemberState::waiting;
    std::int64_t count = 0;
    SteadyTime since{};
  };

  ShownProgress() {}
  ShownProgress(const WaitProgress& progress);
  std::string counts;        ///< `13/16 ready`
  bool has_listed = false;   ///< the members come from a list, so no service was asked
  bool is_complete = false;
  std::string state;         ///< of the cluster, if it is not ready and has a state
  std::string trouble;
  SteadyTime started{};
  std::vector<Group> groups;
  std::int64_t missing = 0;  ///< members in all groups
};

/// The subject of the wait, and its time-out.
class WaitSubject {
 public:
  WaitSubject() {}
  WaitSubject(std::string what, Duration how_long) : name(std::move(what)), timeout(how_long) {}
  std::string name;
  Duration timeout{0};
};

/// ```
/// tpu:mid 13/16 ready · 5.5 s of 30 m
///   worker 3, 7-8  CREATING  3 members  5.5 s
/// ```
/// At most `height` lines of at most `width` columns.
std::vector<std::string> wait_table(const WaitSubject& subject, const ShownProgress& progress, SteadyTime now, std::size_t width,
                                    std::size_t height, bool with_colour);

}  // namespace rollcall::command
