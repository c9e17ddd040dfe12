// Asks for all topics of one project and zone, or of one name, in rounds: those that are due, at once.
//
// Decision: what answers is told as it comes, not at the end of its round, and others may be asked while a round waits for one that does
// not answer: a slow cluster keeps nobody else waiting. Most topics are looked at when the source's pace says so; those that are queued, do
// not exist or failed for good have a time of their own, which is no sooner than a pause after the last round, so that they come together.
// New topics do not wait for either, but for a budget. A look may take 30 s; that it has had no answer is told long before, though not to
// those whose service always takes its time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/rules/look_pace.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/source.hpp"
#include "readiness/follow.hpp"
#include "readiness/rules/poll_pace.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration pause_when_queued = std::chrono::seconds(30);
constexpr int most_turns = 8;  // for which a round waits while more topics come
constexpr std::size_t most_rounds = 4;  // at a time
constexpr Duration least_patience = std::chrono::seconds(5);  // with a look, before its topic is told that nothing answers

using AskedTopics = std::vector<std::shared_ptr<TopicState>>;

class PolledSource final : public Source {
 public:
  PolledSource(std::shared_ptr<FleetCore> core, std::string key)
      : Source(std::move(core), std::move(key)), pace_(core_->options.shortest_pause, core_->options.longest_pause),
        quota_(core_->quota_of(this->key())) {}
  ~PolledSource() override { quota_->note(key(), 0); }

  void add(std::shared_ptr<TopicState> topic) override {
    topics_.insert_or_assign(topic->target(), topic);
    ++added_;
    event_.wake();
  }
  void look_soon(TopicState& topic) override {
    if (topic.plan.is_asked) return;
    topic.plan.is_wished = true;
    event_.wake();
  }
  void attend() override { event_.wake(); }
  int quota_a_minute() const override { return quota_->looks_a_minute(); }
  std::size_t requests_a_minute() const override {
    std::size_t sum = 0;
    for (const auto& [when, requests] : asked_lately_) sum += now() - when <= std::chrono::minutes(1) ? requests : 0;
    return sum;
  }

 protected:
  asio::awaitable<Result<void>> run(Call& call) override {
    std::vector<asio::awaitable<Result<void>>> workers;
    for (AsyncEvent& turn : turns_) workers.push_back(work(call, turn));
    co_return co_await join(std::move(workers));
  }

 private:
  // One that makes rounds. One at a time waits until topics are due; when it has them, the next one waits.
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
      const SteadyTime next_silence = tell_of_silence();
      const SteadyTime when = next_round();
      if (when <= now()) break;
      const bool is_awake = co_await wait(event_, std::min(when, next_silence));
      if (!is_awake) co_return false;
    }
    // Those who come in one turn of the loop come one after the other.
    std::size_t seen = 0;
    for (int turns = 0; turns < most_turns && seen != added_; ++turns) {
      seen = added_;
      co_await next_turn();
    }
    co_return true;
  }

  // Those that have been asked for longer than answers take hear so. When the next one would.
  SteadyTime tell_of_silence() {
    SteadyTime next = SteadyTime::max();
    for (const auto& [text, topic] : topics_) {
      LookPlan& plan = topic->plan;
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

  SteadyTime due_of(const LookPlan& plan) const {
    if (plan.is_asked) return SteadyTime::max();
    SteadyTime due = std::max(plan.not_before, plan.has_own_time ? saturating_sum(round_at_, core_->options.shortest_pause) : regular_at_);
    if (plan.is_wished) due = std::min(due, plan.is_barred ? std::max(wishes_from_, plan.not_before) : wishes_from_);
    if (plan.is_new) due = std::min(due, quota_->new_targets.next());
    return due;
  }

  SteadyTime next_round() const {
    SteadyTime next = SteadyTime::max();
    for (const auto& [text, topic] : topics_) next = std::min(next, due_of(topic->plan));
    return next;
  }

  // Those who are due now or a little later; and what that means for the next ones.
  AskedTopics take_due() {
    const SteadyTime at = now();
    const SteadyTime soon = saturating_sum(at, core_->options.shortest_pause / 4);
    AskedTopics asked;
    for (const auto& [text, topic] : topics_) {
      LookPlan& plan = topic->plan;
      const bool is_due = !plan.is_asked && (plan.is_new || due_of(plan) <= (plan.is_barred ? at : soon));
      if (!is_due || !is_followed(*topic)) continue;
      plan.is_new = plan.is_wished = false;
      plan.is_asked = true;
      plan.silent_from = saturating_sum(at, patience_);
      asked.push_back(topic);
    }
    if (asked.empty()) return asked;
    // What it costs is spread, so that all rounds together stay within the quota.
    const auto nodes = static_cast<std::size_t>(
        std::count_if(asked.begin(), asked.end(), [](const std::shared_ptr<TopicState>& topic) { return is_node(topic->parsed()); }));
    const std::size_t count = requests_of_look(nodes, asked.size() - nodes);
    while (!asked_lately_.empty() && at - asked_lately_.front().first > std::chrono::minutes(1)) asked_lately_.pop_front();
    asked_lately_.emplace_back(at, count);
    quota_->note(key(), count);
    const Duration spread = quota_->pause();
    quota_->new_targets.spend(at);
    round_at_ = at;
    wishes_from_ = saturating_sum(at, std::max(pause_between_wishes, spread));
    if (soon >= regular_at_) {
      const Duration pause = pace_.next(ClusterPhase::running, std::exchange(has_changed_, false), runtime().uniform());
      regular_at_ = saturating_sum(at, std::max(pause, spread));
      least_pause_ = spread;
    }
    return asked;
  }

  asio::awaitable<Result<void>> look_at(Call& call, AskedTopics asked) {
    auto ask = [this, asked](Call& inner, std::size_t i) { return ask_one(inner, asked[i]); };
    const Result<std::vector<Result<void>>> answers =
        co_await ask_together<void>(call, asked.size(), CallSubject(key() + " fleet_look"), std::move(ask));
    if (core_->is_closed() || runtime().is_closed) co_return Failure(Errc::cancelled, "cancelled while looking");
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (answers && (*answers)[i]) continue;
      // Cut off: by its deadline, since nobody closed anything.
      const bool has_story = !answers && answers.error().code() != Errc::cancelled;
      asked[i]->take_trouble(has_story ? answers.error()
                                       : Failure(Errc::deadline_exceeded, fmt::format("{}: no answer within 30 s", asked[i]->target())));
      plan_next(*asked[i], LookOutcome::trouble);
    }
    event_.wake();
    co_return Result<void>();
  }

  asio::awaitable<Result<void>> ask_one(Call& inner, std::shared_ptr<TopicState> topic) {
    const SteadyTime began = now();
    const Result<LookOutcome> outcome = co_await look(inner, topic, true);
    if (!outcome) co_return outcome.error();
    if (*outcome != LookOutcome::trouble) patience_ = std::max<Duration>(least_patience, 3 * saturating_difference(now(), began));
    plan_next(*topic, *outcome);
    event_.wake();
    co_return Result<void>();
  }

  void plan_next(TopicState& topic, LookOutcome outcome) {
    const FleetOptions& options = core_->options;
    LookPlan& plan = topic.plan;
    plan.is_asked = false;
    plan.has_own_time = plan.is_barred = false;
    plan.not_before = saturating_sum(now(), options.shortest_pause / 2);
    const auto own_time = [this, &plan](Duration pause) {
      plan.has_own_time = true;
      plan.not_before = saturating_sum(now(), pause);
    };
    const bool is_queued = topic.known().status && !topic.known().failure && topic.known().status->phase == ClusterPhase::queued;
    if (outcome == LookOutcome::doubted) {
      own_time(options.shortest_pause);
    } else if (outcome == LookOutcome::absent || outcome == LookOutcome::lasting) {
      plan.is_barred = true;
      own_time(with_jitter(outcome == LookOutcome::absent ? pause_when_absent : pause_when_lasting, 1, 0.2, runtime().uniform()));
    } else if (is_queued) {
      own_time(with_jitter(pause_when_queued, 0.8, 0.4, runtime().uniform()));
    } else if (outcome == LookOutcome::slowed) {
      plan.is_barred = true;
      plan.not_before = saturating_sum(now(), options.longest_pause);
    } else if (outcome == LookOutcome::changed) {
      const Duration pause = std::max(with_jitter(options.shortest_pause, 0.8, 0.4, runtime().uniform()), least_pause_);
      regular_at_ = std::min(regular_at_, saturating_sum(now(), pause));
      has_changed_ = true;
    }
  }

  std::map<std::string, std::shared_ptr<TopicState>, std::less<>> topics_;  // by text
  std::size_t added_ = 0;
  AsyncEvent event_;  // of the worker that waits for topics that are due
  std::array<AsyncEvent, most_rounds> turns_;
  bool is_led_ = false;
  bool is_over_ = false;
  PollPace pace_;
  bool has_changed_ = false;  // since the pace was asked
  std::shared_ptr<ProjectQuota> quota_;
  Duration least_pause_{0};  // by the quota
  Duration patience_ = least_patience;  // several times what the last answer took
  SteadyTime regular_at_ = SteadyTime::min();
  SteadyTime round_at_ = SteadyTime::min();  // the last one's beginning
  SteadyTime wishes_from_ = SteadyTime::min();
  std::deque<std::pair<SteadyTime, std::size_t>> asked_lately_;  // rounds of the last minute: when, and how many requests
};

}  // namespace

std::shared_ptr<Source> make_polled_source(std::shared_ptr<FleetCore> core, std::string key) {
  return std::make_shared<PolledSource>(std::move(core), std::move(key));
}

}  // namespace rollcall::fleet
