// Decides which failures end repeated polls: one table for all sources and all followers.
#pragma once

#include "rollcall/error.hpp"

namespace rollcall {

/// The prospect of later polls after a failed one.
enum class Outlook {
  passes,         ///< a later poll may succeed after any number of failures: no connection, silence, a cut, 408, 429, 5xx, a deadline
  unconfirmed,       ///< it may be a proxy's temporary page: a malformed answer, an unusual status, 410
  passes_if_ever, ///< temporary only if an earlier poll has succeeded, since it is not the user's mistake then: 401, a missing
                  ///< precondition
  lasts,          ///< permanent: absent, forbidden, wrong usage, an invalid certificate
};
/// Pure.
Outlook outlook_of(const Failure& failure) noexcept;

/// This many failures in a row that are not `passes` are final.
constexpr int max_unconfirmed = 5;

/// True if a later poll may succeed, judged by this failure alone.
inline bool may_pass(const Failure& failure) noexcept {
  const Outlook outlook = outlook_of(failure);
  return outlook == Outlook::passes || outlook == Outlook::unconfirmed;
}

/// Counts the failures of one follower.
class PollPatience {
 public:
  PollPatience() {}
  /// A poll has succeeded.
  void note_success() noexcept {
    has_succeeded_ = true;
    unconfirmed_ = 0;
  }
  /// True if this failure, after the ones before it, ends following.
  bool is_over(const Failure& failure) noexcept {
    switch (outlook_of(failure)) {
      case Outlook::passes: return false;
      case Outlook::unconfirmed: return ++unconfirmed_ >= max_unconfirmed;
      case Outlook::passes_if_ever: return !has_succeeded_ || ++unconfirmed_ >= max_unconfirmed;
      case Outlook::lasts: break;
    }
    return true;
  }
  /// For failures that were counted elsewhere: the next one ends following, unless it is `passes`.
  void use_up() noexcept { unconfirmed_ = max_unconfirmed; }

 private:
  bool has_succeeded_ = false;
  int unconfirmed_ = 0;  // in a row
};

}  // namespace rollcall
