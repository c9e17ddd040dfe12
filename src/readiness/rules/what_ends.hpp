// What ends those who look again and again: one table for all that is followed and all that follow it.
#pragma once

#include "rollcall/error.hpp"

namespace rollcall {

/// What one failed look says of the next ones.
enum class Outlook {
  passes,         ///< another look may succeed, however many have failed: no connection, silence, a cut, 408, 429, 5xx, a deadline
  unconfirmed,       ///< it may be a proxy's page that is gone the next time: nonsense, an unusual status, 410
  passes_if_ever, ///< the same if a look has succeeded before, so that it is no mistake of the user's: 401, a missing precondition
  lasts,          ///< absent, forbidden, wrong usage, a certificate that is not valid: no other look helps
};
/// Pure.
Outlook outlook_of(const Failure& failure) noexcept;

/// So many in a row that are not `passes` end it.
constexpr int max_unconfirmed = 5;

/// True if a later look may succeed, as far as one failure tells.
inline bool may_pass(const Failure& failure) noexcept {
  const Outlook outlook = outlook_of(failure);
  return outlook == Outlook::passes || outlook == Outlook::unconfirmed;
}

/// One follower's patience with what it follows.
class PollPatience {
 public:
  PollPatience() {}
  /// A look has succeeded.
  void note_success() noexcept {
    has_succeeded_ = true;
    unconfirmed_ = 0;
  }
  /// True if this failure, after those before it, ends following.
  bool is_over(const Failure& failure) noexcept {
    switch (outlook_of(failure)) {
      case Outlook::passes: return false;
      case Outlook::unconfirmed: return ++unconfirmed_ >= max_unconfirmed;
      case Outlook::passes_if_ever: return !has_succeeded_ || ++unconfirmed_ >= max_unconfirmed;
      case Outlook::lasts: break;
    }
    return true;
  }
  /// The failures that end it have been counted elsewhere: the next one does, unless it is `passes`.
  void use_up() noexcept { unconfirmed_ = max_unconfirmed; }

 private:
  bool has_succeeded_ = false;
  int unconfirmed_ = 0;  // in a row
};

}  // namespace rollcall
