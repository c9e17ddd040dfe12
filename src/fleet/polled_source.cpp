// Polls all topics of one project and zone, or of one name, in rounds: all that are due at once.
//
// Decision: each answer is reported when it arrives, not at the end of its round, and other topics may be polled while a round waits for
// one without an answer: a slow cluster delays no other. Most topics are polled at the source's pace. Topics that are queued, do not exist
// or have failed for good have times of their own, at least a pause after the last round. All wait in line for the quota of their project.
// A poll may take 30 s; a missing answer is reported long before, unless the service usually takes so long.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/rules/poll_round.hpp"
#include "fleet/rules/project_quota.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/source.hpp"
#include "readiness/follow.hpp"
#include "readiness/rules/poll_pace.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration pause_when_queued = std::chrono::seconds(30);
constexpr int max_turns = 8;  // that a round waits while more topics come
constexpr std::size_t max_rounds = 4;  // at a time
constexpr Duration min_patience = std::chrono::seconds(5);  // without an answer, before the topic reports that

using AskedTopics = std::vector<std::shared_ptr<TopicState>>;

std::size_t nodes_among(const AskedTopics& topics) {
  const auto is_it = [](const std::shared_ptr<TopicState>& topic) { return is_node(topic->parsed()); };
  return static_cast<std::size_t>(std::count_if(topics.begin(), topics.end(), is_it));
}

class PolledSource final : public Source {
 public:
  PolledSource(std::shared_ptr<FleetCore> core, std::string key)
      : Source(std::move(core), std::move(key)), pace_(core_->options.shortest_pause, core_->options.max_pause),
        place_(core_->quota_of(this->key()), this->key()) {}

  void add(std::shared_ptr<TopicState> topic) override {
    topics_.insert_or_assign(topic->target(), topic);
    ++added_;
    event_.wake();
  }
  void refresh_soon(TopicState& topic) override {
    if (topic.plan.is_asked) return;
    topic.plan.is_refresh_requested = true;
    event_.wake();
  }
  void attend() override { event_.wake(); }
  int quota_a_minute() const override { return place_.quota().polls_per_minute(); }
  std::size_t requests_a_minute() const override { return place_.requests_a_minute(now()); }

 protected:
  asio::awaitable<Result<void>> run(Call& call) override {
    std::vector<asio::awaitable<Result<void>>> workers;
    for (AsyncEvent& turn : turns_) workers.push_back(work(call, turn));
    co_return co_await join(std::move(workers));
  }

 private:
  // A worker that makes rounds. One worker at a time waits until topics are due; then the next one waits.
  asio::awaitable<Result<void>> work(Call& call, AsyncEvent& turn) {
    for (;;) {
      while (is_led_ && !is_over_) {
        const bool is_awake = co_await turn.wait();
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two looks");
      }
      is_led_ = true;
      AskedTopics asked;
      while (!is_over_ && asked.empty()) {
        const bool is_awake = co_await wait_until_due();
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two looks");
        asked = take_due();
      }
      is_led_ = false;
      for (AsyncEvent& next : turns_) next.wake();
      if (asked.empty()) co_return Result<void>();
      const Result<void> done = co_await look_at(call, std::move(asked));
      if (!done) co_return done;
    }
  }

  asio::awaitable<bool> wait_until_due() {
    for (;;) {
      std::erase_if(topics_, [this](const auto& one) { return !is_followed(*one.second); });
      if (topics_.empty()) {
        core_->forget(*this);
        is_over_ = true;
        co_return true;
      }
      const SteadyTime next_silence = report_silence();
      const SteadyTime when = next_round();
      if (when <= now()) break;
      const bool is_awake = co_await event_.wait_until(*runtime().timers, std::min(when, next_silence));
      if (!is_awake) co_return false;
    }
    // Topics that are added in one turn of the loop arrive one after the other.
    std::size_t seen = 0;
    for (int turns = 0; turns < max_turns && seen != added_; ++turns) {
      seen = added_;
      co_await next_turn();
    }
    co_return true;
  }

  // Reports topics that have been without an answer for longer than usual. Returns when the next one will be.
  SteadyTime report_silence() {
    SteadyTime next = SteadyTime::max();
    for (const auto& [text, topic] : topics_) {
      PollPlan& plan = topic->plan;
      if (!plan.is_asked || !plan.silent_from) continue;
      if (*plan.silent_from > now()) {
        next = std::min(next, *plan.silent_from);
        continue;
      }
      plan.silent_from.reset();
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(patience_);
      topic->take_trouble(
          Failure(Errc::response_timeout, fmt::format("{}: no answer for {} s; it is still awaited", text, seconds.count())));
    }
    return next;
  }

  SteadyTime due_of(const PollPlan& plan) const {
    if (plan.is_asked) return SteadyTime::max();
    SteadyTime due = std::max(plan.not_before, plan.has_own_time ? saturating_sum(round_at_, core_->options.shortest_pause) : regular_at_);
    if (plan.is_refresh_requested) due = std::min(due, plan.is_cooling_down ? std::max(refreshes_from_, plan.not_before) : refreshes_from_);
    if (plan.is_new) due = std::min(due, place_.quota().new_targets.next());
    if (plan.is_left) due = std::min(due, plan.not_before);
    return due;
  }

  DuePoll due_poll(const TopicState& topic) const {
    const bool is_missing = !topic.known().status || (topic.plan.has_own_time && topic.plan.is_cooling_down);
    DuePoll poll;
    poll.rank = !is_missing && topic.has_listeners() ? PollRank::there : topic.plan.is_new ? PollRank::unseen : PollRank::rest;
    poll.has_own_time = topic.plan.has_own_time;
    poll.is_fresh = saturating_difference(now(), topic.plan.asked_from.value_or(now())) < std::chrono::minutes(1);
    poll.is_node = is_node(topic.parsed());
    poll.asked_at = topic.plan.asked_at;
    return poll;
  }

  class Due {
   public:
    AskedTopics topics;
    std::vector<DuePoll> polls;
  };

  SteadyTime soon() const { return saturating_sum(now(), core_->options.shortest_pause / 4); }
  Due ready() const {  // Topics that are due now or a little later.
    Due due;
    for (const auto& [text, topic] : topics_) {
      const PollPlan& plan = topic->plan;
      const bool is_due = !plan.is_asked && (plan.is_new || due_of(plan) <= (plan.is_cooling_down ? now() : soon()));
      if (!is_due || !is_followed(*topic)) continue;
      due.topics.push_back(topic);
      due.polls.push_back(due_poll(*topic));
    }
    return due;
  }

  SteadyTime next_round() {
    SteadyTime next = SteadyTime::max();
    bool is_due = false;
    for (const auto& [text, topic] : topics_) {
      const SteadyTime when = due_of(topic->plan);
      is_due = is_due || when <= now();
      if (when > now()) next = std::min(next, when);
    }
    return std::min(next, place_.line_up(is_due ? ready().polls : std::vector<DuePoll>(), now()));
  }

  // Takes as many of the due topics as the quota has room for, and plans the next polls of the others.
  AskedTopics take_due() {
    const SteadyTime at = now();
    const Due due = ready();
    std::vector<DuePoll> all;
    for (const auto& [text, topic] : topics_) all.push_back(due_poll(*topic));
    const std::vector<std::size_t> chosen = place_.take(due.polls, all, at);
    if (chosen.empty()) return {};
    const bool is_regular = soon() >= regular_at_;
    for (const std::shared_ptr<TopicState>& topic : due.topics) topic->plan.is_left |= is_regular && !topic->plan.has_own_time;
    AskedTopics asked;
    for (const std::size_t i : chosen) {
      PollPlan& plan = due.topics[i]->plan;
      plan.is_new = plan.is_refresh_requested = plan.is_left = false;
      plan.is_asked = true;
      plan.asked_at = at;
      plan.asked_from = plan.asked_from.value_or(at);
      plan.silent_from = saturating_sum(at, patience_);
      asked.push_back(due.topics[i]);
    }
    const Duration spread = place_.quota().pause();  // All rounds together stay within the quota.
    place_.quota().new_targets.spend(at);
    round_at_ = at;
    refreshes_from_ = saturating_sum(at, std::max(pause_between_refreshes, spread));
    if (is_regular) {
      const Duration pause = pace_.next(ClusterPhase::running, std::exchange(has_changed_, false), runtime().uniform());
      regular_at_ = saturating_sum(at, std::max(pause, spread));
      min_pause_ = spread;
    }
    return asked;
  }

  asio::awaitable<Result<void>> look_at(Call& call, AskedTopics asked) {
    const std::shared_ptr<Spending> spent = place_.spent();
    const auto made = std::make_shared<std::size_t>(0);
    auto ask = [this, asked, made](Call& inner, std::size_t i) { return ask_one(inner, asked[i], made); };
    const Result<std::vector<Result<void>>> answers =
        co_await ask_together<void>(call, asked.size(), CallSubject::of_source(key(), "fleet_look"), std::move(ask));
    if (core_->is_closed() || runtime().is_closed) co_return Failure(Errc::cancelled, "cancelled while looking");
    if (answers) place_.quota().correct(*spent, requests_made(nodes_among(asked), asked.size(), *made));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (answers && (*answers)[i]) continue;
      // `cancelled` here means that the deadline passed, since there was no call of close().
      const bool has_story = !answers && answers.error().code() != Errc::cancelled;
      asked[i]->take_trouble(has_story ? answers.error()
                                       : Failure(Errc::deadline_exceeded, fmt::format("{}: no answer within 30 s", asked[i]->target())));
      plan_next(*asked[i], PollOutcome::trouble);
    }
    event_.wake();
    co_return Result<void>();
  }

  // `made`: the number of requests of the round, without those of a list.
  asio::awaitable<Result<void>> ask_one(Call& inner, std::shared_ptr<TopicState> topic, std::shared_ptr<std::size_t> made) {
    const SteadyTime began = now();
    const Result<PollOutcome> outcome = co_await poll(inner, topic, true);
    *made = std::max(*made, static_cast<std::size_t>(state_of(inner).attempts));
    if (!outcome) co_return outcome.error();
    const bool is_answered = *outcome != PollOutcome::trouble && *outcome != PollOutcome::slowed;
    if (is_answered) patience_ = std::max<Duration>(min_patience, 3 * saturating_difference(now(), began));
    plan_next(*topic, *outcome);
    event_.wake();
    co_return Result<void>();
  }

  void plan_next(TopicState& topic, PollOutcome outcome) {
    const FleetOptions& options = core_->options;
    PollPlan& plan = topic.plan;
    plan.is_asked = false;
    plan.has_own_time = plan.is_cooling_down = false;
    plan.not_before = saturating_sum(now(), options.shortest_pause / 2);
    const auto own_time = [this, &plan](Duration pause) {
      plan.has_own_time = true;
      plan.not_before = saturating_sum(now(), pause);
    };
    const bool is_queued = topic.known().status && !topic.known().failure && topic.known().status->phase == ClusterPhase::queued &&
                           !is_of_cluster(topic.parsed());
    if (outcome != PollOutcome::absent) plan.absent_from.reset();
    if (outcome == PollOutcome::unconfirmed) {
      own_time(options.shortest_pause);
    } else if (outcome == PollOutcome::absent || outcome == PollOutcome::lasting) {
      plan.is_cooling_down = true;
      if (outcome == PollOutcome::absent && !plan.absent_from) plan.absent_from = now();
      const Duration pause =
          outcome == PollOutcome::absent ? pause_of_absent(saturating_difference(now(), *plan.absent_from)) : pause_when_lasting;
      own_time(with_jitter(pause, 1, 0.2, runtime().uniform()));
    } else if (outcome == PollOutcome::slowed) {
      plan.is_cooling_down = true;
      plan.not_before = saturating_sum(now(), is_queued ? std::max(pause_when_queued, options.max_pause) : options.max_pause);
    } else if (is_queued) {
      own_time(with_jitter(pause_when_queued, 0.8, 0.4, runtime().uniform()));
    } else if (outcome == PollOutcome::changed) {
      const Duration pause = std::max(with_jitter(options.shortest_pause, 0.8, 0.4, runtime().uniform()), min_pause_);
      regular_at_ = std::min(regular_at_, saturating_sum(now(), pause));
      has_changed_ = true;
    }
  }

  std::map<std::string, std::shared_ptr<TopicState>, std::less<>> topics_;  // by text
  std::size_t added_ = 0;
  AsyncEvent event_;  // of the worker that waits for due topics
  std::array<AsyncEvent, max_rounds> turns_;
  bool is_led_ = false;
  bool is_over_ = false;
  PollPace pace_;
  bool has_changed_ = false;  // since the last call of the pace
  QuotaPlace place_;
  Duration min_pause_{0};  // set by the quota
  Duration patience_ = min_patience;  // several times the duration of the last answer
  SteadyTime regular_at_ = SteadyTime::min();
  SteadyTime round_at_ = SteadyTime::min();  // begin of the last round
  SteadyTime refreshes_from_ = SteadyTime::min();
};

}  // namespace

std::shared_ptr<Source> make_polled_source(std::shared_ptr<FleetCore> core, std::string key) {
  return std::make_shared<PolledSource>(std::move(core), std::move(key));
}

}  // namespace rollcall::fleet
