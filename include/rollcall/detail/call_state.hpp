// Private to the library: what a call in progress keeps for its own message.
#pragma once

#include <optional>
#include <string>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// What a call remembers for its message in case it is stopped.
class CallState {
 public:
  CallState() {}
  bool is_expired = false;      ///< the deadline passed; checked before each await
  int attempts = 0;             ///< requests sent so far
  int last_status = 0;
  Phase current_phase = Phase::overall;
  std::string current_target;   ///< set when an attempt fails or a wait begins, not on the way to success
  std::string last_trouble;     ///< how the last failed attempt ended
  std::string unfinished;       ///< the whole message in case the deadline passes, for calls that know more than their requests
  /// Whoever made this call makes it again until then: silence is given up in time for that, although the call itself does not retry.
  std::optional<SteadyTime> asked_again_until;
};

}  // namespace rollcall
