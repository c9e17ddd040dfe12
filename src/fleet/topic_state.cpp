#include "fleet/topic_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "async/turns.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/source.hpp"
#include "fleet/wire/body_bounds.hpp"
#include "readiness/follow.hpp"
#include "readiness/latest_status.hpp"
#include "readiness/status_diff.hpp"
#include "readiness/wait_judge.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_phases = 64;
constexpr std::size_t max_namers = 16;
constexpr Duration lasting_spec_failure = std::chrono::seconds(30);
constexpr std::uint64_t of_no_status = std::numeric_limits<std::uint64_t>::max();
constexpr Duration believed_spec_failure = std::chrono::seconds(10);  // by a new listener

class Taking {
 public:
  explicit Taking(bool& flag) : flag_(flag) { flag_ = true; }
  ~Taking() { flag_ = false; }
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;

 private:
  bool& flag_;
};

asio::awaitable<WaitVerdict> judge(const ClusterStatus& status) {
  const WaitOptions options;
  const ProbeAnswers no_answers;
  WaitJudge judge(status, usually_ready, options, no_answers, std::string(), MissingDetail::count_only);
  while (judge.poll(steps_a_turn)) co_await next_turn();
  co_return judge.take_verdict();
}

}  // namespace

bool is_same_spec(const Result<ClusterSpec>& a, const Result<ClusterSpec>& b) {
  if (a.has_value() != b.has_value()) return false;
  return a ? *a == *b : is_same_failure(a.error(), b.error());
}

asio::awaitable<StatusStep> status_step(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at) {
  StatusDiff diff(before, now, at);
  while (diff.step(steps_a_turn)) co_await next_turn();
  co_return StatusStep(diff.take_changes());
}

std::size_t memory_of_all(const ClusterStatus& status) {
  return std::accumulate(status.members.begin(), status.members.end(), sizeof status,
                         [](std::size_t sum, const Member& member) { return sum + memory_of(member); });
}

bool is_same_failure(const Failure& a, const Failure& b) noexcept {
  return a.code() == b.code() && a.what() == b.what() && a.hint() == b.hint();
}

TopicState::TopicState(std::shared_ptr<FleetCore> core, Target target, std::shared_ptr<ClusterResolver> resolver, std::size_t number)
    : core_(core), parsed_(std::move(target)), resource_(resource_of(parsed_)), number_(number), text_(parsed_.to_text()),
      resolver_(std::move(resolver)), memory_(core->memory) {
  known_.epoch = core->epoch;
}

bool TopicState::is_closed() const noexcept {
  const std::shared_ptr<FleetCore> core = core_.lock();
  return !core || core->is_closed();
}

std::optional<StatusDelta> TopicState::since(std::uint64_t revision) const {
  const std::shared_ptr<FleetCore> core = core_.lock();
  if (!known_.status || !core || revision > core->revision()) return std::nullopt;
  return recent_.since(revision, *known_.status);
}

bool TopicState::needs_spec() const noexcept {
  if (!wants_spec()) return false;
  if (!known_.spec || spec_of_ != status_revision_) return true;
  if (!known_.spec->has_error()) return false;
  // The cause of a lasting failure, such as a missing right, may end without a change of the status.
  return age_of_spec() >= lasting_spec_failure || may_pass(known_.spec->error());
}

Duration TopicState::age_of_spec() const noexcept {
  return known_.spec_polled_at ? impl_of(resolver_->runtime()).time->now() - *known_.spec_polled_at : Duration::max();
}

void TopicState::listen(TopicListener& listener) {
  listeners_.add(listener);
  left_at.reset();
  // A right that was missing may be granted now: a new listener requests another call.
  const bool is_refused = listener.wants_spec() && known_.spec && known_.spec->has_error();
  if (is_refused && age_of_spec() > believed_spec_failure) spec_of_ = of_no_status;
  if (const std::shared_ptr<FleetCore> core = core_.lock()) core->follow(*this);
}

void TopicState::refresh_soon() {
  if (const std::shared_ptr<Source> followed_by = source.lock()) followed_by->refresh_soon(*this);
}

void TopicState::name(const std::string& client) {
  if (client.empty() || std::find(namers_.begin(), namers_.end(), client) != namers_.end()) return;
  if (namers_.size() >= max_namers) namers_.erase(namers_.begin());
  namers_.push_back(client);
}

MemoryClaim TopicState::claim() const noexcept {
  MemoryClaim claim;
  claim.bytes = memory_.used();
  claim.is_listened_to = has_listeners();
  claim.left_at = left_at.value_or(SteadyTime::max());
  claim.number = number_;
  claim.resource = resource_;
  claim.namers = &namers_;
  return claim;
}

// If there is no room, other topics give up theirs.
bool TopicState::charge(std::size_t bytes) {
  if (memory_.charge(bytes)) return true;
  const std::shared_ptr<FleetCore> core = core_.lock();
  return core && core->make_memory(*this, bytes) && memory_.charge(bytes);
}

void TopicState::give_way(const Failure& why) {
  own_status_.reset();
  known_.status.reset();
  known_.spec.reset();
  memory_.clear();
  known_.trouble = why.what();
  known_.revision = known_.spec_revision = status_revision_ = core_.lock()->next_revision();
  recent_.restart(status_revision_);
  const std::shared_ptr<Source> followed_by = source.lock();
  if (followed_by) followed_by->attend();
  notify();
}

void TopicState::notify() {
  const std::shared_ptr<TopicState> alive = shared_from_this();
  listeners_.notify();
}

void TopicState::end_trouble(SteadyTime began) {
  known_.polled_at = began;
  known_.trouble.clear();
  unconfirmed_.end();
}

void TopicState::take_sameness(SteadyTime began) {
  if (is_closed()) return;
  const bool was_well = known_.trouble.empty() && !known_.failure;
  end_trouble(began);
  plan.patience.note_success();
  known_.failure.reset();
  if (!was_well) known_.revision = core_.lock()->next_revision();
  notify();
}

asio::awaitable<PollOutcome> TopicState::take(ClusterStatus status, SteadyTime began, bool may_be_unconfirmed) {
  const std::shared_ptr<TopicState> alive = shared_from_this();
  if (is_taking_) co_return PollOutcome::same;  // the source has ended, and the answer of its last poll arrives
  const Taking taking(is_taking_);
  bound_texts(status);
  co_return co_await take_alone(std::move(status), began, may_be_unconfirmed);
}

asio::awaitable<PollOutcome> TopicState::take_alone(ClusterStatus status, SteadyTime began, bool may_be_unconfirmed) {
  const std::shared_ptr<const ClusterStatus> before = known_.status ? known_.status : std::make_shared<const ClusterStatus>();
  if (known_.status) {
    const bool is_same = co_await is_same_status(status, *before);
    if (is_same) {
      take_sameness(began);
      co_return PollOutcome::same;
    }
  }
  StatusStep step = co_await status_step(*before, status, began);
  const bool is_unconfirmed = may_be_unconfirmed && unconfirmed_.holds(std::move(step.forgotten));
  if (is_unconfirmed) co_return PollOutcome::unconfirmed;
  const WaitVerdict verdict = co_await judge(status);
  if (is_closed()) co_return PollOutcome::same;
  const std::size_t before_bytes = memory_.used();
  memory_.clear();
  if (!charge(memory_of_all(status))) {
    (void)memory_.charge(before_bytes);
    take_trouble(too_much_memory(fmt::format("the status of {}", text_), memory_));  // passes when other targets are forgotten
    co_return PollOutcome::trouble;
  }
  const std::shared_ptr<ClusterStatus> former = own_status_;
  publish(std::make_shared<ClusterStatus>(std::move(status)), std::move(step), verdict, began);
  if (former && former.use_count() == 2) {  // no other owner: `before` and this one
    co_await discard_in_turns(std::move(former->members));
  }
  co_return PollOutcome::changed;
}

void TopicState::publish(std::shared_ptr<ClusterStatus> status, StatusStep step, const WaitVerdict& verdict, SteadyTime began) {
  const bool is_another_kind =
      !own_status_ || own_status_->accelerator_type != status->accelerator_type;  // a change that a delta does not contain
  end_trouble(began);
  plan.patience.note_success();
  known_.failure.reset();
  own_status_ = std::move(status);
  known_.status = own_status_;
  known_.revision = status_revision_ = core_.lock()->next_revision();
  if (step.has_another_membership) ++known_.generation;
  if (is_another_kind) {
    recent_.restart(status_revision_);
  } else {
    recent_.add(status_revision_, std::move(step.former));
    if (!memory_.charge(recent_.bytes())) recent_.restart(status_revision_);
  }
  if (known_.spec && !wants_spec()) {  // without a listener for it, no call would replace the spec of the earlier status
    known_.spec.reset();
    known_.spec_revision = status_revision_;
  }
  known_.is_spec_old = known_.spec != nullptr;
  note_history(verdict);
  notify();
}

void TopicState::note_history(const WaitVerdict& verdict) {
  PhaseChange change;
  change.when = impl_of(resolver_->runtime()).time->wall_now();
  change.phase = known_.status->phase;
  change.state = known_.status->state.text;
  change.ready = verdict.ready;
  change.total = verdict.total;
  if (!history_.empty() && is_same_phase(history_.back(), change)) return;
  history_.push_back(std::move(change));
  if (history_.size() > max_phases) history_.pop_front();
}

PollOutcome TopicState::take_failure(const Failure& failure, SteadyTime began, bool may_be_unconfirmed) {
  const bool is_absent = failure.code() == Errc::not_found;
  if (!is_absent && !plan.patience.is_over(failure)) {
    take_trouble(failure);
    return failure.code() == Errc::rate_limited ? PollOutcome::slowed : PollOutcome::trouble;
  }
  // A target that existed must be absent in two polls.
  if (is_absent && may_be_unconfirmed && known_.status && !known_.failure && unconfirmed_.holds_whole()) return PollOutcome::unconfirmed;
  if (is_closed()) return PollOutcome::same;
  const bool is_same = known_.trouble.empty() && known_.failure && is_same_failure(*known_.failure, failure);
  end_trouble(began);
  if (!is_same) {
    known_.failure = std::make_shared<const Failure>(failure);
    known_.revision = core_.lock()->next_revision();
  }
  notify();
  return is_absent ? PollOutcome::absent : PollOutcome::lasting;
}

void TopicState::take_trouble(const Failure& failure) {
  if (is_closed()) return;
  if (known_.trouble != failure.what()) {
    known_.trouble = failure.what();
    known_.revision = core_.lock()->next_revision();
  }
  notify();
}

void TopicState::take_spec(Result<ClusterSpec> spec, std::uint64_t status_revision, SteadyTime began, std::uint64_t generation) {
  if (is_closed()) return;
  const bool is_passing = spec.has_error() && may_pass(spec.error());
  if (is_passing && known_.spec && known_.spec->has_value()) return;  // the next poll calls again
  spec_of_ = status_revision;
  known_.spec_polled_at = began;
  known_.spec_generation = generation;
  const bool was_old = std::exchange(known_.is_spec_old, status_revision != status_revision_);
  const bool is_same = known_.spec && is_same_spec(*known_.spec, spec);
  if (is_same && known_.spec->has_value() && was_old == known_.is_spec_old) return;
  if (!is_same) known_.spec = std::make_shared<const Result<ClusterSpec>>(std::move(spec));
  known_.spec_revision = core_.lock()->next_revision();
  notify();
}

}  // namespace rollcall::fleet
