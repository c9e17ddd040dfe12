// The options of several calls that are one question.
#pragma once

#include "rollcall/call.hpp"

namespace rollcall::command {

/// Calls that are made one after the other have one deadline together: the time-out runs from here on.
class QuestionOptions {
 public:
  QuestionOptions(CallOptions of_all);

  /// Of a call that begins now: with what is left of the time, and a millisecond where nothing is.
  CallOptions next() const;

 private:
  CallOptions of_all_;
  SteadyTime end_;
};

}  // namespace rollcall::command
