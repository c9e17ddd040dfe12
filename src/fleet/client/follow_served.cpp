// Follows a cluster by streams, one after another, from one server or the next; and by direct polls while no server answers.
#include <algorithm>

#include "async/async_event.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/client/served_cluster.hpp"
#include "fleet/client/status_stream.hpp"
#include "readiness/dated_observer.hpp"
#include "readiness/follow.hpp"
#include "readiness/rules/poll_pace.hpp"

namespace rollcall {
namespace {

class ServedFollower {
 public:
  ServedFollower(Call& call, std::shared_ptr<RemoteServers> servers, ClusterResolver& local, Target target, StatusObserver& observer)
      : call_(call), impl_(impl_of(call)), servers_(std::move(servers)), question_(std::move(target), fleet::View::status),
        observer_(observer), direct_(local, observer) {}

  asio::awaitable<Result<void>> run() {
    for (;;) {
      const std::size_t server = servers_->current();
      question_.awaits_existence =
          observer_.waits_for_existence();  // some observers wait for existence only until they have seen the cluster
      StatusStream stream(call_, servers_, server, question_, followed_, observer_);
      const Result<StreamEnd> ended = co_await stream.run();
      if (!ended) co_return ended.error();
      if (stream.has_sent()) patience_.note_success();
      if (*ended == StreamEnd::refused && patience_.is_over(stream.failure())) co_return stream.failure();
      const bool is_over = *ended == StreamEnd::final;
      // The cluster existed and is gone: from now on the question waits for its return.
      const bool is_awaited =
          is_over && stream.failure().code() == Errc::not_found && !question_.awaits_existence && observer_.waits_for_existence();
      if (is_over && !is_awaited) co_return stream.failure();
      if (is_awaited) {
        followed_.status.reset();
        followed_.last_event.reset();
        observer_.report(not_there_yet(stream.failure()));
      }
      const Duration pause = pause_after(is_awaited ? StreamEnd::ended : *ended, server, stream.failure());
      const SteadyTime next = std::max(saturating_sum(impl_.time->now(), pause), followed_.not_before);
      const Result<void> rested = co_await rest(next);
      if (!rested) co_return rested.error();
    }
  }

 private:
  Duration pause_after(StreamEnd ended, std::size_t server, const Failure& failure) {
    constexpr Duration shortest = std::chrono::milliseconds(100);
    const Duration spread = std::max(with_jitter(followed_.retry, 0, 1, impl_.uniform()), shortest);
    const bool has_others = servers_->count() > 1;
    constexpr Duration at_once = std::chrono::seconds(1);
    if (ended == StreamEnd::refused) {
      observer_.report_trouble(failure);
      return std::max(spread, with_jitter(backoff_.next(), 0.5, 0.5, impl_.uniform()));
    }
    if (ended != StreamEnd::silent) {
      failures_ = 0;
      backoff_.reset();
      if (ended == StreamEnd::ended) return spread;
      servers_->note_move(call_, server);
      return has_others ? std::min(spread, at_once) : spread;
    }
    servers_->note_failure(call_, server, failure);
    const bool is_lost = ++failures_ >= servers_->count();
    observer_.report_trouble(is_lost ? servers_->lost(direct_.resolver->describe(), failure) : failure);
    // Clients that one server has spread in time shall not arrive together at the next server.
    if (!is_lost) return std::min(spread, at_once);
    return std::max(spread, with_jitter(backoff_.next(), 0.5, 0.5, impl_.uniform()));
  }

  // Rests until then. Meanwhile polls the cloud directly when a direct poll is due.
  asio::awaitable<Result<void>> rest(SteadyTime until) {
    for (;;) {
      const SteadyTime direct = std::max(servers_->loss().direct_from(), next_poll_);
      const SteadyTime next = std::min(direct, followed_.old_from(servers_->options().max_age));
      const bool is_awake = co_await sleep_until(*impl_.timers, std::min(until, next));
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while waiting for a server");
      report_old_age();
      const bool has_rested = impl_.time->now() >= until && until <= direct;
      if (has_rested) co_return Result<void>();
      if (std::max(servers_->loss().direct_from(), next_poll_) > impl_.time->now()) continue;  // a server answered another follower
      const ClusterStatus before = direct_.last;
      const SteadyTime began = impl_.time->now();
      Result<ClusterStatus> polled = co_await servers_->direct_polls().poll(call_, direct_.resolver->shared_from_this());
      if (polled.has_error() && polled.error().code() == Errc::cancelled) co_return polled.error();
      std::optional<Failure> end = take_poll(direct_, std::move(polled), began);
      followed_.is_reported_old = true;  // the status that was reported last is not the stream's
      if (end) co_return std::move(*end);
      const Duration usual = pace_.next(direct_.last.phase, direct_.last != before, impl_.uniform());
      next_poll_ = saturating_sum(impl_.time->now(), servers_->loss().direct_pause().value_or(usual));
      servers_->direct_polls().note(call_, question_, next_poll_);
    }
  }

  // Between two streams only this coroutine can report it.
  void report_old_age() {
    const SteadyTime now = impl_.time->now();
    if (now < followed_.old_from(servers_->options().max_age)) return;
    followed_.is_reported_old = true;
    report_seen(observer_, Seen(*followed_.polled_at, servers_->options().max_age));
    observer_.report_trouble(too_old(now - *followed_.polled_at));
  }

  Call& call_;
  Runtime::Impl& impl_;
  std::shared_ptr<RemoteServers> servers_;
  fleet::FleetQuestion question_;
  StatusObserver& observer_;
  FollowedStatus followed_;
  Polled direct_;
  PollPace pace_;
  SteadyTime next_poll_{};
  ExponentialBackoff backoff_{std::chrono::seconds(1), std::chrono::seconds(30)};
  std::size_t failures_ = 0;  // streams in a row without an event
  PollPatience patience_;  // with servers that refuse the token
};

}  // namespace

asio::awaitable<Result<void>> follow_served(Call& call, std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local,
                                            Target target, StatusObserver& observer) {
  ServedFollower follower(call, std::move(servers), *local, std::move(target), observer);
  co_return co_await follower.run();
}

}  // namespace rollcall
