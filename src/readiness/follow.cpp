#include "readiness/follow.hpp"

#include <algorithm>
#include <span>

#include "async/async_event.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "call/deadline_failure.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/dated_observer.hpp"
#include "readiness/rules/poll_pace.hpp"

namespace rollcall {
ClusterStatus not_there_yet(const Failure& failure) {
  ClusterStatus status;
  status.phase = ClusterPhase::provisioning;
  status.state = Condition(MemberState::waiting, failure.what());
  return status;
}

CallOptions question_options(const Call& call) {
  constexpr Duration usual = std::chrono::seconds(30);
  CallOptions options = call.options();
  // The next poll is the retry: a fleet that polls every 30 s must not send eleven times as many requests when the service is down.
  if (!options.retry().has_own_max_retries()) options.retry(RetryPolicy().max_retries(0));
  const Duration left = saturating_difference(call.deadline(), impl_of(call).time->now());
  options.timeout(std::max<Duration>(std::min(usual, left), Duration(1)));
  return options;
}

Failure unanswered(Call& call) { return deadline_failure(state_of(call), "poll", call.options().timeout()); }

namespace {

using PolledAnswers = std::vector<Result<ClusterStatus>>;

asio::awaitable<Result<PolledAnswers>> ask_polled(Call& call, std::span<const Polled> clusters) {
  std::vector<std::shared_ptr<ClusterResolver>> resolvers;
  for (const Polled& one : clusters) resolvers.push_back(one.resolver->shared_from_this());
  CallSubject subject = clusters.size() == 1 ? CallSubject(*clusters.front().resolver, "cluster_status") : CallSubject("cluster_status");
  const std::size_t count = resolvers.size();
  auto ask = [resolvers = std::move(resolvers)](Call& inner, std::size_t i) { return resolvers[i]->do_cluster_status(inner); };
  return ask_together<ClusterStatus>(call, count, std::move(subject), std::move(ask));
}

// Reports an answer to the observer. Returns the failure that ends following, if there is one.
std::optional<Failure> take_answer(Polled& cluster, Result<ClusterStatus> status, SteadyTime began, bool& has_changed, bool& has_failed) {
  if (!status) {
    const Failure failure = status.error();
    if (failure.code() == Errc::not_found && cluster.observer->waits_for_existence()) {
      status = not_there_yet(failure);
    } else if (!cluster.patience.is_over(failure)) {
      has_failed = true;
      cluster.observer->report_trouble(failure);
      return std::nullopt;
    } else {
      return failure;
    }
  }
  cluster.patience.note_success();
  if (*status != cluster.last) has_changed = true;
  cluster.last = *status;
  report_seen(*cluster.observer, Seen(began));
  cluster.observer->report(std::move(*status));
  return std::nullopt;
}

}  // namespace

std::optional<Failure> take_poll(Polled& cluster, Result<ClusterStatus> answer, SteadyTime began) {
  bool has_changed = false;
  bool has_failed = false;
  return take_answer(cluster, std::move(answer), began, has_changed, has_failed);
}

asio::awaitable<Result<void>> follow_by_polling(Call& call, std::vector<Polled> clusters, PollPace pace) {
  Runtime::Impl& impl = impl_of(call);
  for (;;) {
    const SteadyTime began = impl.time->now();
    Result<PolledAnswers> answers = co_await ask_polled(call, clusters);
    if (!answers && answers.error().code() == Errc::cancelled) co_return answers.error();
    bool has_changed = false;
    bool has_failed = false;
    ClusterPhase phase = ClusterPhase::running;
    // Failures first: a report that makes a cluster ready must not hide the refusal of another cluster.
    for (const bool takes_failures : {true, false}) {
      for (std::size_t i = 0; i < clusters.size(); ++i) {
        if (takes_failures == (answers && (*answers)[i])) continue;
        Result<ClusterStatus> answer = answers ? std::move((*answers)[i]) : Result<ClusterStatus>(answers.error());
        std::optional<Failure> end = take_answer(clusters[i], std::move(answer), began, has_changed, has_failed);
        if (end) co_return std::move(*end);
      }
    }
    for (const Polled& cluster : clusters) phase = std::min(phase, cluster.last.phase);
    Duration delay = pace.next(phase, has_changed, impl.uniform());
    // After a failure a little sooner and with more jitter, so that clients that failed together do not return together.
    if (has_failed) delay = with_jitter(delay, 0.5, 0.5, impl.uniform());
    const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), delay));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two polls");
  }
}

}  // namespace rollcall
