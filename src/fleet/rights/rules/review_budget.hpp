// The rate of token reviews by the API server, and their priorities. Arithmetic; no clock.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// Twenty reviews a second on average. Half of them are reserved for new tokens with a verified signature. If the reserve is used up, an
/// account that has had few reviews in this second gets one on credit, which delays the others.
class ReviewBudget {
 public:
  static constexpr double a_second = 20;
  static constexpr double reserve = a_second / 2;

  enum class Kind {
    checked,  ///< a new token with a verified signature
    unchecked,  ///< a new token whose issuer's keys are not available: it may be forged
    again,  ///< a token that was valid before and that a stream depends on
  };

  /// True if another review may be made at `now`; it is counted. `account`: the verified owner of the token.
  bool take(Kind kind, const std::string& account, SteadyTime now) {
    const double earned = std::chrono::duration<double>(now - counted_at_).count();
    counted_at_ = now;
    left_ = std::min(a_second, left_ + earned * a_second);
    unchecked_left_ = std::min(reserve, unchecked_left_ + earned * reserve);
    if (now >= second_from_ + std::chrono::seconds(1)) {
      second_from_ = now;
      had_.clear();
    }
    const bool is_checked = kind == Kind::checked;
    const bool is_unchecked = kind == Kind::unchecked;
    const bool has_room = left_ >= 1 + (is_checked ? 0 : reserve) && (!is_unchecked || unchecked_left_ >= 1);
    if (!has_room && !(is_checked && has_share(account))) return false;
    left_ -= 1;
    if (is_unchecked) unchecked_left_ -= 1;
    if (is_checked) ++had_[account];
    return true;
  }

 private:
  // On credit, for an account that has had less than its part of the reserve.
  bool has_share(const std::string& account) const {
    const auto had = had_.find(account);
    const std::size_t others = had_.size() - (had == had_.end() ? 0 : 1);
    const double share = std::max(1.0, reserve / static_cast<double>(others + 1));
    return left_ - 1 >= -reserve && (had == had_.end() ? 0 : had->second) + 1 <= share;
  }

  double left_ = a_second;  // below zero: on credit
  double unchecked_left_ = reserve;
  SteadyTime counted_at_{};
  SteadyTime second_from_{};
  std::map<std::string, double> had_;  // by account, since second_from_
};

}  // namespace rollcall::fleet
