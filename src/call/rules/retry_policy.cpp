// The retry decision: numbers in, a delay or a reason out.
#include "rollcall/retry_policy.hpp"

#include <algorithm>
#include <cmath>

#include "base/backoff.hpp"
#include "base/saturating.hpp"

namespace rollcall {
namespace {

// The minimum time for an attempt.
constexpr Duration min_attempt = std::chrono::milliseconds(100);

RetryDecision give_up(std::string_view reason) {
  RetryDecision decision;
  decision.reason = reason;
  return decision;
}

RetryDecision retry_after(Duration delay) {
  RetryDecision decision;
  decision.retry = true;
  decision.delay = delay;
  decision.reason = {};
  return decision;
}

// `fraction` in [0, 1) of `whole`, which is not negative.
Duration part_of(Duration whole, double fraction) noexcept {
  const double valid = fraction >= 0 && fraction < 1 ? fraction : fraction >= 1 ? std::nextafter(1.0, 0.0) : 0.0;
  const double nanoseconds = static_cast<double>(whole.count()) * valid;
  return nanoseconds >= static_cast<double>(whole.count()) ? whole : Duration(static_cast<std::int64_t>(nanoseconds));
}

}  // namespace

RetryDecision RetryPolicy::next(AttemptClass outcome, int retries, std::optional<Duration> hint, SteadyTime now, SteadyTime deadline,
                                const std::function<double()>& uniform) const {
  if (outcome == AttemptClass::success) return give_up("the request succeeded");
  if (outcome == AttemptClass::permanent) return give_up("the failure is permanent");
  const Duration left = saturating_difference(deadline, now);
  // An attempt with a new token is not a retry: the request has not been answered yet.
  if (outcome == AttemptClass::refresh_token) {
    if (left <= Duration(0)) return give_up("the deadline has passed");
    return retries <= 0 ? retry_after(Duration(0)) : give_up("another token was refused, too");
  }
  if (max_retries_ <= 0) return give_up({});  // wanted by the user, or by a caller that repeats the call itself: needs no reason
  if (left <= Duration(0)) return give_up("the deadline has passed");
  if (retries >= max_retries_) return give_up("all retries are used up");

  // The random delay may exceed the time that is left although a shorter one would not: shorten it; but do not retry with ever shorter
  // delays at the end.
  const Duration room = std::max(left - min_attempt, Duration(0));
  const Duration bound = ExponentialBackoff(base_, cap_, multiplier_).nth(retries);
  const Duration floor = std::clamp(std::min(floor_, base_), Duration(0), bound);
  const Duration max = room >= std::min(bound, base_) ? std::min(bound, room) : bound;
  Duration delay = floor + part_of(std::max(max - floor, Duration(0)), uniform());
  if (hint && *hint > Duration(0)) {
    const Duration wanted = std::min(*hint, max_hint_);
    if (wanted >= left) {
      RetryDecision refused = give_up("the server asks for a wait that the deadline does not allow");
      refused.refused_hint = *hint;
      return refused;
    }
    const Duration extra = std::min(wanted / 10, std::max(room - wanted, Duration(0)));
    delay = std::max(delay, saturating_sum(wanted, part_of(extra, uniform())));
  }
  if (delay >= left) return give_up("the deadline leaves no time for another attempt");
  return retry_after(delay);
}

}  // namespace rollcall
