// Follows one topic whose service tells of changes itself.
//
// Decision: a stream that stands still says nothing of how old its news is: a connection that died without a word looks the same. So the
// cluster is asked for as well, when nothing was heard of it for two of the longest pauses, or somebody wishes it. If that shows what is
// known, the news is as fresh as the look; if it does not, and the stream says nothing either, the stream is deaf, and another is opened.
#include <algorithm>

#include "async/with_background.hpp"
#include "base/backoff.hpp"
#include "base/exceptions.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/source.hpp"
#include "readiness/follow.hpp"
#include "readiness/latest_status.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration patience = std::chrono::seconds(2);  // with a stream that is behind a look

Failure told_cancelled() { return Failure(Errc::cancelled, "cancelled while following what tells of changes"); }

asio::awaitable<Result<void>> follow_guarded(Call& call, std::shared_ptr<ClusterResolver> resolver, StatusObserver& feed) {
  std::optional<Result<void>> ended;
  try {
    Result<void> given = co_await resolver->do_follow(call, feed);
    ended.emplace(std::move(given));
  } catch (...) {
    ended.emplace(failure_of_thrown(std::current_exception(), "follow"));
  }
  co_return std::move(*ended);
}

class ToldSource final : public Source {
 public:
  using Source::Source;

  void add(std::shared_ptr<TopicState> topic) override {
    topic_ = std::move(topic);
    event_.wake();
  }
  void look_soon(TopicState&) override {
    is_wished_ = true;
    event_.wake();
  }
  void attend() override { event_.wake(); }

 protected:
  asio::awaitable<Result<void>> run(Call& call) override {
    for (;;) {
      if (!is_followed(*topic_)) {
        core_->forget(*this);
        co_return Result<void>();
      }
      LatestStatus board(Existence::required);
      look_from_ = saturating_sum(now(), quiet_pause());
      asio::awaitable<Result<void>> work = with_background(read(board), tend(call));
      const Result<void> ended = co_await with_background(follow_guarded(call, topic_->resolver(), board), std::move(work));
      if (core_->is_closed() || runtime().is_closed) co_return told_cancelled();
      if (ended) continue;
      topic_->plan.senseless = most_senseless;  // they were counted already
      const LookOutcome outcome = topic_->take_failure(ended.error(), now(), false);
      const bool is_patient = co_await rest(outcome);
      if (!is_patient) co_return told_cancelled();
    }
  }

 private:
  Duration quiet_pause() const {
    const double share = 60.0 * static_cast<double>(core_->told_sources()) / std::max(core_->options.looks_a_minute, 1);
    const auto by_quota = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(share));
    return with_jitter(std::max<Duration>(2 * core_->options.longest_pause, by_quota), 0.9, 0.2, runtime().uniform());
  }

  // Before the cluster is followed anew.
  asio::awaitable<bool> rest(LookOutcome outcome) {
    const bool is_hopeless = outcome == LookOutcome::absent || outcome == LookOutcome::lasting;
    Duration pause = core_->options.longest_pause;
    if (outcome == LookOutcome::absent) pause = pause_when_absent;
    if (outcome == LookOutcome::lasting) pause = pause_when_lasting;
    const SteadyTime began = now();
    const SteadyTime end = saturating_sum(began, with_jitter(pause, 1, 0.2, runtime().uniform()));
    is_wished_ = false;
    while (now() < end && is_followed(*topic_)) {
      const SteadyTime wished = saturating_sum(began, pause_between_wishes);
      if (is_wished_ && !is_hopeless && now() >= wished) break;
      const bool is_awake = co_await wait(event_, is_wished_ && !is_hopeless ? wished : end);
      if (!is_awake) co_return false;
    }
    co_return true;
  }

  asio::awaitable<Result<void>> read(LatestStatus& board) {
    for (;;) {
      const bool is_awake = co_await board.wait(*runtime().timers, SteadyTime::max());
      if (!is_awake) co_return told_cancelled();
      ++reports_;
      const SteadyTime heard = now();
      look_from_ = saturating_sum(heard, quiet_pause());
      std::optional<ClusterStatus> status = board.take();
      if (status) co_await topic_->take(std::move(*status), heard, false);
      if (!board.trouble().empty()) topic_->take_trouble(Failure(Errc::unavailable, board.trouble()));
      event_.wake();
    }
  }

  // Specs, looks and wishes, until it is not followed any more or has to be followed anew.
  asio::awaitable<Result<void>> tend(Call& call) {
    while (is_followed(*topic_)) {
      const bool has_status = topic_->known().status != nullptr;
      const bool wants_spec = has_status && topic_->needs_spec();
      SteadyTime when = SteadyTime::max();
      if (wants_spec) when = std::min(when, spec_from_);
      const bool looks_by_itself = has_status && topic_->has_listeners();
      SteadyTime look_at = looks_by_itself ? look_from_ : SteadyTime::max();
      if (is_wished_ && has_status) look_at = std::min(look_at, wishes_from_);
      when = std::min(when, look_at);
      if (when > now()) {
        const bool is_awake = co_await wait(event_, when);
        if (!is_awake) co_return told_cancelled();
        continue;
      }
      if (wants_spec && spec_from_ <= now()) {
        co_await ask_for_spec(call);
        continue;
      }
      const bool is_heard = co_await verify(call);
      if (!is_heard) co_return Result<void>();
    }
    co_return Result<void>();
  }

  asio::awaitable<void> ask_for_spec(Call& call) {
    spec_from_ = saturating_sum(now(), core_->options.shortest_pause);
    auto ask = [topic = topic_](Call& inner, std::size_t) { return ask_spec(inner, topic); };
    Result<std::vector<Result<void>>> asked =
        co_await ask_together<void>(call, 1, CallSubject(*topic_->resolver(), "cluster_spec"), std::move(ask));
    const bool is_done = asked && asked->front() && !topic_->needs_spec();
    if (!is_done) spec_from_ = saturating_sum(now(), core_->options.longest_pause);
  }

  // False: the stream is deaf.
  asio::awaitable<bool> verify(Call& call) {
    is_wished_ = false;
    const SteadyTime began = now();
    wishes_from_ = saturating_sum(began, pause_between_wishes);
    look_from_ = saturating_sum(began, quiet_pause());
    auto ask = [topic = topic_](Call& inner, std::size_t) { return topic->resolver()->do_cluster_status(inner); };
    const std::uint64_t reports = reports_;
    Result<std::vector<Result<ClusterStatus>>> asked =
        co_await ask_together<ClusterStatus>(call, 1, CallSubject(*topic_->resolver(), "cluster_status"), std::move(ask));
    if (!asked || !asked->front()) {
      const Failure failure = asked ? asked->front().error() : asked.error();
      if (is_worth_another_look(failure) || is_malformed(failure)) topic_->take_trouble(failure);
      co_return true;
    }
    if (reports_ != reports) co_return true;  // it has spoken meanwhile
    const std::shared_ptr<const ClusterStatus> known = topic_->known().status;
    const bool is_same = co_await is_same_status(*asked->front(), *known);
    if (is_same) {
      if (reports_ == reports) topic_->take_sameness(began);
      co_return true;
    }
    const SteadyTime end = saturating_sum(now(), patience);
    while (reports_ == reports && now() < end && is_followed(*topic_)) {
      const bool is_awake = co_await wait(event_, end);
      if (!is_awake) break;
    }
    co_return reports_ != reports;
  }

  std::shared_ptr<TopicState> topic_;
  AsyncEvent event_;
  bool is_wished_ = false;
  std::uint64_t reports_ = 0;
  SteadyTime spec_from_ = SteadyTime::min();
  SteadyTime wishes_from_ = SteadyTime::min();
  SteadyTime look_from_ = SteadyTime::max();
};

}  // namespace

std::shared_ptr<Source> make_told_source(std::shared_ptr<FleetCore> core, std::string key) {
  return std::make_shared<ToldSource>(std::move(core), std::move(key));
}

}  // namespace rollcall::fleet
