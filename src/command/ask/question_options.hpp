// The options of several calls that share one time-out.
#pragma once

#include "rollcall/call.hpp"

namespace rollcall::command {

/// Calls made one after the other share one deadline: the time-out runs from the construction on.
class QuestionOptions {
 public:
  QuestionOptions(CallOptions of_all);

  /// The options of a call that begins now: with the rest of the time, at least a millisecond.
  CallOptions next() const;

 private:
  CallOptions of_all_;
  SteadyTime end_;
};

}  // namespace rollcall::command
