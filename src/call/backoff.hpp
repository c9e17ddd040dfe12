// The step between two attempts: the decision, its announcement, the wait. All retries use it.
#pragma once

#include <optional>
#include <string_view>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"
#include "rollcall/retry_policy.hpp"

namespace rollcall {

class Backoff {
 public:
  /// `call` must outlive this. No wait reaches `deadline`.
  Backoff(Call& call, const RetryPolicy& policy, SteadyTime deadline) : call_(call), policy_(policy), deadline_(deadline) {}

  int tries() const { return tries_; }                     ///< including the current one
  int retries() const { return retries_; }                 ///< without the one for which only the token was replaced
  bool has_retries_left() const { return retries_ < policy_.max_retries(); }
  bool has_refreshed() const { return has_refreshed_; }    ///< a token was replaced already: at most once

  /// Decides whether and when another attempt follows after `outcome`; `hint` is the pause that the server requested.
  RetryDecision decide(AttemptClass outcome, std::optional<Duration> hint = {});
  /// Logs the wait before wait(). `subject` names the server.
  void announce(std::string_view subject, const Failure& failure) const;
  /// Suspends until the next attempt, which is counted at once. False: cancelled.
  asio::awaitable<bool> wait();

 private:
  Call& call_;
  RetryPolicy policy_;
  SteadyTime deadline_;
  int tries_ = 1;
  int retries_ = 0;
  bool has_refreshed_ = false;
  bool is_refresh_ = false;  // time of the next attempt
  bool is_server_delay_ = false;
  Duration delay_{0};
};

inline RetryDecision Backoff::decide(AttemptClass outcome, std::optional<Duration> hint) {
  Runtime::Impl& impl = impl_of(call_);
  is_refresh_ = outcome == AttemptClass::refresh_token;
  const RetryDecision decision =
      policy_.next(outcome, is_refresh_ ? has_refreshed_ : retries_, hint, impl.time->now(), deadline_, [&impl] { return impl.uniform(); });
  if (decision.retry && is_refresh_) has_refreshed_ = true;
  delay_ = decision.delay;
  // Up to a tenth is added to the server's hint; a longer delay is the library's own back-off.
  is_server_delay_ = hint && delay_ <= saturating_sum(*hint, *hint / 10);
  return decision;
}

inline void Backoff::announce(std::string_view subject, const Failure& failure) const {
  impl_of(call_).emit({.kind = EventKind::backing_off,
                       .call = call_.id(),
                       .attempt = tries(),
                       .status = failure.last_status(),
                       .delay = delay_,
                       .is_server_delay = is_server_delay_,
                       .subject = subject,
                       .failure = &failure});
}

inline asio::awaitable<bool> Backoff::wait() {
  ++tries_;
  if (!is_refresh_) ++retries_;
  Runtime::Impl& impl = impl_of(call_);
  return sleep_until(*impl.timers, saturating_sum(impl.time->now(), delay_));
}

}  // namespace rollcall
