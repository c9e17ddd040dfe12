#include "resolve/follow.hpp"

#include <algorithm>

#include "async/runtime_impl.hpp"
#include "async/waiter.hpp"
#include "core/poll_pace.hpp"

namespace rollcall {
namespace {

// An answer that nobody can make sense of may be a proxy's page that is gone the next time.
bool is_senseless(const Failure& failure) noexcept {
  return failure.code() == Errc::malformed_response || failure.code() == Errc::http_error || failure.code() == Errc::conflict ||
         failure.code() == Errc::rpc_error;
}

// What does not exist yet, as a status.
ClusterStatus not_there_yet(const Failure& failure) {
  ClusterStatus status;
  status.phase = ClusterPhase::provisioning;
  status.state = Condition(Standing::waiting, failure.what());
  return status;
}

}  // namespace

bool may_pass(const Failure& failure) noexcept {
  switch (failure.code()) {
    case Errc::unreachable:
    case Errc::unknown_host:
    case Errc::unavailable:
    case Errc::rate_limited: return true;
    default: return is_timeout(failure.code());
  }
}

CallOptions question_options(const Call& call) {
  constexpr Duration usual = std::chrono::seconds(30);
  CallOptions options = call.options();
  // The next look is the retry: a fleet that looks every half a minute must not ask eleven times as often when the service is down.
  if (!options.retry().has_own_max_retries()) options.retry(RetryPolicy().max_retries(0));
  const Duration left = call.deadline() - call.impl().time->now();
  options.timeout(std::max<Duration>(std::min(usual, left), Duration(1)));
  return options;
}

asio::awaitable<Result<ClusterStatus>> ask_status(Call& call, ClusterResolver& resolver) {
  auto script = [self = resolver.shared_from_this()](Call& inner) { return self->do_cluster_status(inner); };
  return run_call<ClusterStatus>(call.impl().shared_from_this(), question_options(call), CallSubject(resolver, "cluster_status"),
                                 std::move(script));
}

asio::awaitable<Result<void>> follow_by_polling(Call& call, ClusterResolver& resolver, StatusFeed& feed) {
  constexpr int most_senseless = 5;
  Runtime::Impl& impl = call.impl();
  PollPace pace;
  ClusterStatus last;
  int senseless = 0;
  for (;;) {
    bool has_changed = false;
    Result<ClusterStatus> status = co_await ask_status(call, resolver);
    if (!status) {
      const Failure failure = status.error();
      if (failure.code() == Errc::cancelled) co_return failure;
      if (failure.code() == Errc::not_found && feed.waits_for_existence()) {
        status = not_there_yet(failure);
      } else if (may_pass(failure) || (is_senseless(failure) && ++senseless < most_senseless)) {
        feed.report_trouble(failure);
      } else {
        co_return failure;
      }
    }
    if (status) {
      senseless = 0;
      has_changed = *status != last;
      last = *status;
      feed.report(std::move(*status));
    }
    Duration delay = pace.next(last.phase, has_changed, impl.uniform());
    // After a failure a little sooner, and more by chance: those who failed together shall not come back together.
    if (!status) delay = std::chrono::duration_cast<Duration>(delay * (0.5 + 0.5 * impl.uniform()));
    const bool is_awake = co_await sleep_until(*impl.timers, impl.time->now() + delay);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two looks");
  }
}

}  // namespace rollcall
