// Retry decisions as pure functions. Immutable; all state is passed in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The outcome of one attempt, as far as retrying is concerned.
enum class AttemptClass {
  success,            ///< an answer to return, including a final HTTP error
  permanent,          ///< another attempt cannot help
  transient,          ///< another attempt may succeed: refused, reset, 5xx, time-out of one attempt
  rate_limited,       ///< the server is up and limits the rate (429, Compute's 403)
  refresh_token,      ///< 401: once, with another token, without a delay
};

class RetryDecision {
 public:
  RetryDecision() {}
  bool retry = false;
  Duration delay{0};
  /// Why not, when retry is false: a phrase for the message ("all retries are used up"); empty where no retries were wanted.
  std::string_view reason = "the failure is permanent";
  /// The wait that the server requested, if the deadline does not allow it.
  std::optional<Duration> refused_hint;
};

/// Full jitter: the n-th delay is uniform in [floor, min(cap, base·multiplier^n)], and never below a server's hint (Retry-After,
/// google.rpc.RetryInfo), to which at most 10 % is added. Near the deadline the upper end of both is reduced so that 100 ms are left for
/// the attempt. Source: AWS's back-off study; gRFC A6.
class RetryPolicy {
 public:
  RetryPolicy() {}
  // clang-format off
  RetryPolicy& max_retries(int n) { max_retries_ = n; has_own_max_retries_ = true; return *this; }
  RetryPolicy& base_delay(Duration d) { base_ = d; return *this; }
  RetryPolicy& max_delay(Duration d) { cap_ = d; return *this; }
  RetryPolicy& multiplier(double m) { multiplier_ = m; return *this; }
  RetryPolicy& max_hint(Duration d) { max_hint_ = d; return *this; }
  // clang-format on

  int max_retries() const { return max_retries_; }      ///< N retries are at most N+1 requests
  bool has_own_max_retries() const { return has_own_max_retries_; }  ///< false: the number is the library's default
  Duration base_delay() const { return base_; }
  Duration max_delay() const { return cap_; }

  /// `retries` already made, the server's `hint` if any, the time and the deadline, and a source of uniform doubles
  /// in [0, 1). Never allows a delay that would reach the deadline.
  RetryDecision next(AttemptClass outcome, int retries, std::optional<Duration> hint, SteadyTime now, SteadyTime deadline,
                     const std::function<double()>& uniform) const;

 private:
  int max_retries_ = 10;
  bool has_own_max_retries_ = false;
  Duration base_ = std::chrono::milliseconds(200);
  Duration cap_ = std::chrono::seconds(10);
  Duration floor_ = std::chrono::milliseconds(10);
  Duration max_hint_ = std::chrono::minutes(5);
  double multiplier_ = 2.0;
};

/// A token bucket per host (gRFC A6): starts full; a transient failure costs 1, a success gives back `ratio`; a retry is allowed while more
/// than half is left, otherwise it fails at once. Rate-limited answers cost nothing: the server itself sets the rate there.
class RetryBudget {
 public:
  explicit RetryBudget(double capacity = 500, double ratio = 0.1) : capacity_(capacity), ratio_(ratio), tokens_(capacity) {}
  void on_success() { tokens_ = tokens_ + ratio_ < capacity_ ? tokens_ + ratio_ : capacity_; }
  /// True if the failure may be retried.
  bool on_failure() {
    tokens_ = tokens_ > 1 ? tokens_ - 1 : 0;
    return tokens_ > capacity_ / 2;
  }
  double tokens() const { return tokens_; }

 private:
  double capacity_;
  double ratio_;
  double tokens_;
};

}  // namespace rollcall
