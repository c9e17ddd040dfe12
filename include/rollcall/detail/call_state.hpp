// Private to the library: state of a call in progress that is used for its failure message.
#pragma once

#include <optional>
#include <string>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Data for the failure message of a call that is stopped.
class CallState {
 public:
  CallState() {}
  bool is_expired = false;      ///< the deadline passed; checked before each await
  int attempts = 0;             ///< requests sent so far
  int last_status = 0;
  Phase current_phase = Phase::overall;
  std::string current_target;   ///< set when an attempt fails or a wait begins, not on the success path
  std::string last_trouble;     ///< outcome of the last failed attempt
  std::string unfinished;       ///< the whole message if the deadline passes, for calls that know more than their requests
  /// The caller repeats this call until then: time-outs leave time for that, although the call itself does not retry.
  std::optional<SteadyTime> asked_again_until;
};

}  // namespace rollcall
