// Follows one topic whose service reports changes itself.
//
// Decision: a quiet stream does not show how old its last event is: a broken connection looks the same. So the cluster is polled as well,
// when the stream was quiet for two of the longest pauses, or after a refresh request. If the poll agrees with what is known, that is as
// recent as the poll. If it does not, and the stream does not report the same change, the stream is deaf and another one is opened. A
// stream may have many parts, of which a busy one hides that another is deaf: so the age that is reported is that of the part with the
// oldest event, or of the last poll that agreed.
#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "async/with_background.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/source.hpp"
#include "readiness/follow.hpp"
#include "readiness/latest_status.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration patience = std::chrono::seconds(2);  // for a stream that is behind a poll

Failure cancelled_on_client() { return Failure(Errc::cancelled, "cancelled while following a service that reports changes"); }

// True if the stream has since changed everything by which the poll's result, `shown`, differs from the status `before` it.
bool is_subscribed(const ClusterStatus& shown, const ClusterStatus& before, const ClusterStatus& now) {
  constexpr std::size_t however_many = std::numeric_limits<std::size_t>::max();
  const std::optional<StatusDelta> polled = status_delta(before, shown, however_many);
  const std::optional<StatusDelta> sent = status_delta(before, now, however_many);
  if (!polled || !sent) return false;
  std::set<std::pair<std::string_view, int>> changed;
  for (const Member& member : sent->changed) changed.emplace(member.job, member.index);
  for (const auto& [job, index] : sent->gone) changed.emplace(job, index);
  const bool has_members =
      std::all_of(polled->changed.begin(), polled->changed.end(),
                  [&changed](const Member& member) { return changed.contains({member.job, member.index}); }) &&
      std::all_of(polled->gone.begin(), polled->gone.end(), [&changed](const auto& gone) { return changed.contains(gone); });
  const bool has_whole = (shown.state == before.state || now.state != before.state) &&
                         (shown.expected == before.expected || now.expected != before.expected) &&
                         (shown.jobs == before.jobs || now.jobs != before.jobs);
  return has_members && has_whole;
}

class WatchSource final : public Source {
 public:
  using Source::Source;

  void add(std::shared_ptr<TopicState> topic) override {
    topic_ = std::move(topic);
    event_.wake();
  }
  void refresh_soon(TopicState&) override {
    is_refresh_requested_ = true;
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
      LatestStatus latest(Existence::required);
      poll_from_ = saturating_sum(now(), quiet_pause());
      asio::awaitable<Result<void>> work = with_background(read(latest), tend(call));
      const auto follow = [this, &call, &latest] { return topic_->resolver()->do_follow(call, latest); };
      asio::awaitable<Result<void>> following = guarded<void>(*topic_, follow);
      const Result<void> ended = co_await with_background(std::move(following), std::move(work));
      if (core_->is_closed() || runtime().is_closed) co_return cancelled_on_client();
      if (ended) continue;
      topic_->plan.patience.use_up();  // they were counted already
      const PollOutcome outcome = topic_->take_failure(ended.error(), now(), false);
      const bool is_patient = co_await rest(outcome);
      if (!is_patient) co_return cancelled_on_client();
    }
  }

 private:
  Duration quiet_pause() const {
    const double share = 60.0 * static_cast<double>(core_->watch_sources()) / std::max(core_->options.polls_per_minute, 1);
    const auto by_quota = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(share));
    return with_jitter(std::max<Duration>(2 * core_->options.max_pause, by_quota), 0.9, 0.2, runtime().uniform());
  }

  // Before the cluster is followed again.
  asio::awaitable<bool> rest(PollOutcome outcome) {
    const bool is_hopeless = outcome == PollOutcome::absent || outcome == PollOutcome::lasting;
    Duration pause = core_->options.max_pause;
    if (outcome == PollOutcome::absent) pause = pause_when_absent;
    if (outcome == PollOutcome::lasting) pause = pause_when_lasting;
    const SteadyTime began = now();
    const SteadyTime end = saturating_sum(began, with_jitter(pause, 1, 0.2, runtime().uniform()));
    is_refresh_requested_ = false;
    while (now() < end && is_followed(*topic_)) {
      const SteadyTime refresh_from = saturating_sum(began, pause_between_refreshes);
      if (is_refresh_requested_ && !is_hopeless && now() >= refresh_from) break;
      const bool is_awake = co_await event_.wait_until(*runtime().timers, is_refresh_requested_ && !is_hopeless ? refresh_from : end);
      if (!is_awake) co_return false;
    }
    co_return true;
  }

  asio::awaitable<Result<void>> read(LatestStatus& latest) {
    for (;;) {
      const bool is_awake = co_await latest.wait(*runtime().timers, SteadyTime::max());
      if (!is_awake) co_return cancelled_on_client();
      const SteadyTime heard = std::max(latest.seen() ? latest.seen()->at : now(), agreed_at_);
      poll_from_ = saturating_sum(std::max(heard, polled_at_), quiet_pause());
      std::optional<ClusterStatus> status = latest.take();
      if (status) {
        // Only another stream repeats a status that did not fit into memory.
        const PollOutcome outcome = co_await topic_->take(std::move(*status), heard, false);
        restart_from_ = outcome == PollOutcome::trouble ? saturating_sum(now(), quiet_pause()) : SteadyTime::max();
      }
      if (!latest.trouble().empty()) topic_->take_trouble(Failure(Errc::unavailable, latest.trouble()));
      event_.wake();
    }
  }

  // Calls for specs, polls and refresh requests, until the topic is not followed any more or its stream has to be opened again.
  asio::awaitable<Result<void>> tend(Call& call) {
    while (is_followed(*topic_)) {
      const bool has_status = topic_->known().status != nullptr;
      // Only another stream repeats a status that gave up its memory.
      if (std::exchange(had_status_, has_status) && !has_status)
        restart_from_ = std::min(restart_from_, saturating_sum(now(), quiet_pause()));
      const bool wants_spec = has_status && topic_->needs_spec();
      SteadyTime when = SteadyTime::max();
      if (wants_spec) when = std::min(when, spec_from_);
      const bool polls_by_itself = has_status && topic_->has_listeners();
      SteadyTime look_at = polls_by_itself ? poll_from_ : SteadyTime::max();
      if (is_refresh_requested_ && has_status) look_at = std::min(look_at, refreshes_from_);
      when = std::min({when, look_at, restart_from_});
      if (when > now()) {
        const bool is_awake = co_await event_.wait_until(*runtime().timers, when);
        if (!is_awake) co_return cancelled_on_client();
        continue;
      }
      if (restart_from_ <= now()) {
        restart_from_ = SteadyTime::max();
        co_return Result<void>();
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
    if (!is_done) spec_from_ = saturating_sum(now(), core_->options.max_pause);
  }

  // False: the stream is deaf, or the cluster cannot be polled any more, which another stream will report.
  asio::awaitable<bool> verify(Call& call) {
    is_refresh_requested_ = false;
    const SteadyTime began = polled_at_ = now();
    refreshes_from_ = saturating_sum(began, pause_between_refreshes);
    poll_from_ = saturating_sum(began, quiet_pause());
    auto ask = [topic = topic_](Call& inner, std::size_t) { return topic->resolver()->do_cluster_status(inner); };
    const std::shared_ptr<const ClusterStatus> before = topic_->known().status;
    Result<std::vector<Result<ClusterStatus>>> asked =
        co_await ask_together<ClusterStatus>(call, 1, CallSubject(*topic_->resolver(), "cluster_status"), std::move(ask));
    if (!asked || !asked->front()) {
      const Failure failure = asked ? asked->front().error() : asked.error();
      if (failure.code() == Errc::cancelled) co_return true;
      topic_->take_trouble(failure);
      co_return outlook_of(failure) != Outlook::lasts;
    }
    const SteadyTime end = saturating_sum(now(), patience);
    while (is_followed(*topic_)) {
      const std::shared_ptr<const ClusterStatus> known = topic_->known().status;
      if (!known) co_return false;  // it gave up its memory
      bool is_agreed = co_await is_same_but_for_causes(*asked->front(), *known);
      if (!is_agreed && known != before) is_agreed = is_subscribed(*asked->front(), *before, *known);
      if (is_agreed) {
        agreed_at_ = began;
        topic_->take_sameness(std::max(began, topic_->known().polled_at.value_or(began)));
        co_return true;
      }
      while (topic_->known().status == known && now() < end && is_followed(*topic_)) {
        const bool is_awake = co_await event_.wait_until(*runtime().timers, end);
        if (!is_awake) co_return true;  // cancelled
      }
      if (now() >= end) co_return false;
    }
    co_return true;
  }

  std::shared_ptr<TopicState> topic_;
  AsyncEvent event_;
  bool is_refresh_requested_ = false;
  bool had_status_ = false;
  SteadyTime spec_from_ = SteadyTime::min();
  SteadyTime refreshes_from_ = SteadyTime::min();
  SteadyTime poll_from_ = SteadyTime::max();
  SteadyTime restart_from_ = SteadyTime::max();  // when another stream is opened
  SteadyTime polled_at_ = SteadyTime::min();  // the last poll, with any result
  SteadyTime agreed_at_ = SteadyTime::min();  // the last poll that agreed with the stream
};

}  // namespace

std::shared_ptr<Source> make_watch_source(std::shared_ptr<FleetCore> core, std::string key) {
  return std::make_shared<WatchSource>(std::move(core), std::move(key));
}

}  // namespace rollcall::fleet
