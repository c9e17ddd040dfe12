#include "call/backoff.hpp"

#include "async/async_event.hpp"
#include "base/saturating.hpp"

namespace rollcall {

Backoff::Backoff(Call& call, const RetryPolicy& policy, SteadyTime deadline) : call_(call), policy_(policy), deadline_(deadline) {}

RetryDecision Backoff::decide(AttemptClass outcome, std::optional<Duration> hint) {
  Runtime::Impl& impl = call_.impl();
  const bool is_refresh = outcome == AttemptClass::refresh_token;
  const RetryDecision decision =
      policy_.next(outcome, is_refresh ? has_refreshed_ : retries_, hint, impl.time->now(), deadline_, [&impl] { return impl.uniform(); });
  if (decision.retry && is_refresh) has_refreshed_ = true;
  delay_ = decision.delay;
  // Up to a tenth is added to the server's wish; a longer delay is our own back-off.
  is_server_delay_ = hint && delay_ <= saturating_sum(*hint, *hint / 10);
  return decision;
}

void Backoff::announce(std::string_view subject, const Failure& failure) const {
  call_.impl().emit({.kind = EventKind::backing_off,
                     .call = call_.id(),
                     .attempt = tries(),
                     .status = failure.last_status(),
                     .delay = delay_,
                     .is_server_delay = is_server_delay_,
                     .subject = subject,
                     .failure = &failure});
}

asio::awaitable<bool> Backoff::wait() {
  ++retries_;
  Runtime::Impl& impl = call_.impl();
  return sleep_until(*impl.timers, saturating_sum(impl.time->now(), delay_));
}

}  // namespace rollcall
