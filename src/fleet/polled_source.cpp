// Asks for all topics of one project and zone, or of one name, in rounds: those that are due, at once.
//
// Decision: what answers is told as it comes, not at the end of its round, so that a slow cluster keeps nobody else waiting. Most topics
// are looked at when the source's pace says so; those that are queued, do not exist or failed for good have a time of their own, which is
// no sooner than a pause after the last round, so that they come together. New topics do not wait for either, but for a budget.
#include <fmt/format.h>

#include <algorithm>
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

class PolledSource final : public Source {
 public:
  PolledSource(std::shared_ptr<FleetCore> core, std::string key)
      : Source(std::move(core), std::move(key)), pace_(core_->options.shortest_pause, core_->options.longest_pause),
        budget_(core_->options.shortest_pause) {}

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

 protected:
  asio::awaitable<Result<void>> run(Call& call) override {
    for (;;) {
      std::erase_if(topics_, [this](const auto& one) { return !is_followed(*one.second); });
      if (topics_.empty()) {
        core_->forget(*this);
        co_return Result<void>();
      }
      const SteadyTime when = next_round();
      if (when > now()) {
        const bool is_awake = co_await wait(event_, when);
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two looks");
        continue;
      }
      // Those who come in one turn of the loop come one after the other.
      std::size_t seen = 0;
      for (int turns = 0; turns < most_turns && seen != added_; ++turns) {
        seen = added_;
        co_await next_turn();
      }
      const Result<void> done = co_await look_round(call);
      if (!done) co_return done;
    }
  }

 private:
  SteadyTime due_of(const LookPlan& plan) const {
    SteadyTime due = regular_at_;
    if (plan.has_own_time) due = std::max(plan.not_before, saturating_sum(ended_at_, core_->options.shortest_pause));
    if (plan.is_wished) due = std::min(due, plan.is_hopeless ? std::max(wishes_from_, plan.not_before) : wishes_from_);
    if (plan.is_new) due = std::min(due, budget_.next());
    return due;
  }

  SteadyTime next_round() const {
    SteadyTime next = SteadyTime::max();
    for (const auto& [text, topic] : topics_) next = std::min(next, due_of(topic->plan));
    return next;
  }

  asio::awaitable<Result<void>> look_round(Call& call) {
    const SteadyTime began = now();
    const bool is_regular = began >= regular_at_;
    std::vector<std::shared_ptr<TopicState>> asked;
    for (const auto& [text, topic] : topics_) {
      LookPlan& plan = topic->plan;
      if (!is_followed(*topic) || (!plan.is_new && due_of(plan) > began)) continue;
      plan.is_new = plan.is_wished = false;
      plan.is_asked = true;
      asked.push_back(topic);
    }
    if (asked.empty()) co_return Result<void>();
    budget_.spend(began);
    auto ask = [asked](Call& inner, std::size_t i) { return look(inner, asked[i], true); };
    Result<std::vector<Result<LookOutcome>>> outcomes =
        co_await ask_together<LookOutcome>(call, asked.size(), CallSubject("look at " + key()), std::move(ask));
    if (core_->is_closed() || runtime().is_closed) co_return Failure(Errc::cancelled, "cancelled while looking");
    bool has_changed = false;
    bool has_failed = false;
    bool is_slowed = false;
    ended_at_ = now();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const LookOutcome outcome = outcomes && (*outcomes)[i] ? *(*outcomes)[i] : untold(*asked[i], outcomes);
      has_changed |= outcome == LookOutcome::changed;
      is_slowed |= outcome == LookOutcome::slowed;
      has_failed |= outcome == LookOutcome::trouble || outcome == LookOutcome::slowed;
      plan_next(*asked[i], outcome);
    }
    // What it costs is spread, so that all rounds together stay within the quota.
    const auto requests = static_cast<double>(requests_of_look(asked.front()->parsed(), asked.size()));
    const Duration spread =
        std::chrono::duration_cast<Duration>(std::chrono::seconds(60) * (requests / std::max(core_->options.looks_a_minute, 1)));
    wishes_from_ = saturating_sum(began, std::max(pause_between_wishes, spread));
    if (is_regular || has_changed) {
      Duration pause = pace_.next(ClusterPhase::running, has_changed, runtime().uniform());
      if (has_failed) pause = with_jitter(pause, 0.5, 0.5, runtime().uniform());
      if (is_slowed) pause = std::max(pause, core_->options.longest_pause);
      const SteadyTime at = saturating_sum(ended_at_, std::max(pause, spread));
      regular_at_ = is_regular ? at : std::min(regular_at_, at);
    }
    co_return Result<void>();
  }

  // The look was cut off: by its deadline, since nobody closed anything.
  static LookOutcome untold(TopicState& topic, const Result<std::vector<Result<LookOutcome>>>& outcomes) {
    const bool has_story = !outcomes && outcomes.error().code() != Errc::cancelled;
    topic.take_trouble(has_story ? outcomes.error()
                                 : Failure(Errc::deadline_exceeded, fmt::format("{}: no answer within 30 s", topic.target())));
    return LookOutcome::trouble;
  }

  void plan_next(TopicState& topic, LookOutcome outcome) {
    LookPlan& plan = topic.plan;
    plan.is_asked = false;
    plan.has_own_time = plan.is_hopeless = false;
    const auto own_time = [this, &plan](Duration pause) {
      plan.has_own_time = true;
      plan.not_before = saturating_sum(ended_at_, pause);
    };
    const bool is_queued = topic.known().status && !topic.known().failure && topic.known().status->phase == ClusterPhase::queued;
    if (outcome == LookOutcome::doubted) {
      own_time(core_->options.shortest_pause);
    } else if (outcome == LookOutcome::absent || outcome == LookOutcome::lasting) {
      plan.is_hopeless = true;
      own_time(with_jitter(outcome == LookOutcome::absent ? pause_when_absent : pause_when_lasting, 1, 0.2, runtime().uniform()));
    } else if (is_queued) {
      own_time(with_jitter(pause_when_queued, 0.8, 0.4, runtime().uniform()));
    }
  }

  std::map<std::string, std::shared_ptr<TopicState>, std::less<>> topics_;  // by text
  std::size_t added_ = 0;
  AsyncEvent event_;
  PollPace pace_;
  LookBudget budget_;
  SteadyTime regular_at_ = SteadyTime::min();
  SteadyTime ended_at_ = SteadyTime::min();  // of the last round
  SteadyTime wishes_from_ = SteadyTime::min();
};

}  // namespace

std::shared_ptr<Source> make_polled_source(std::shared_ptr<FleetCore> core, std::string key) {
  return std::make_shared<PolledSource>(std::move(core), std::move(key));
}

}  // namespace rollcall::fleet
