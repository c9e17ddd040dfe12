#include "rollcall/watch.hpp"

#include <fmt/format.h>

#include <deque>
#include <iterator>
#include <utility>

#include "async/reader_mark.hpp"
#include "async/spawn.hpp"
#include "async/turns.hpp"
#include "async/with_background.hpp"
#include "base/exceptions.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "readiness/follow.hpp"
#include "readiness/latest_status.hpp"
#include "readiness/status_diff.hpp"
#include "readiness/wait_judge.hpp"
#include "rollcall/listed.hpp"

namespace rollcall {
namespace {

// Follows the cluster, and the machine's notices if requested.
asio::awaitable<Result<void>> follow_all(Call& call, ClusterResolver& resolver, LatestStatus& latest, bool machine_notices) {
  if (machine_notices) {
    co_return co_await with_background(follow_machine_notices(call, latest), resolver.do_follow(call, latest));
  }
  co_return co_await resolver.do_follow(call, latest);
}

// The state shared by the follower and the reader, since the reader may be destroyed while the follower ends.
class WatchState {
 public:
  WatchState() : latest(Existence::once_seen) {}
  LatestStatus latest;
  asio::cancellation_signal signal;
  std::optional<Failure> end;
  bool is_closed = false;
};

// Of no resolver.
class RefusedWatch final : public ClusterWatch {
 public:
  asio::awaitable<Result<ClusterChange>> try_next() override { co_return Failure(Errc::invalid_argument, "watch: the resolver is null"); }
  const ClusterStatus& status() const override { return status_; }
  void close() override {}

 private:
  ClusterStatus status_;
};

class Watch final : public ClusterWatch, public std::enable_shared_from_this<Watch> {
 public:
  Watch(std::shared_ptr<ClusterResolver> resolver, WatchOptions options)
      : resolver_(std::move(resolver)), runtime_(shared_impl_of(resolver_->runtime())), options_(std::move(options)),
        until_(without_probes(options_.until())), state_(std::make_shared<WatchState>()) {
    wait_options_.members(options_.members());
  }
  ~Watch() override { close(); }

  void start() {
    CallOptions call_options = options_.request_options();
    call_options.timeout(for_ever);
    auto script = [state = state_, resolver = resolver_, notices = options_.machine_notices()](Call& call) {
      return follow_all(call, *resolver, state->latest, notices);
    };
    auto on_end = [state = state_, runtime = runtime_](Result<void> result) {
      state->end = result.has_error() ? result.error() : Failure(Errc::cancelled, "the watch has ended");
      state->latest.wake();
    };
    spawn_result(runtime_->executor, run_call<void>(runtime_, std::move(call_options), CallSubject(*resolver_, "watch"), std::move(script)),
                 state_->signal.slot(), "watch", std::move(on_end));
  }

  asio::awaitable<Result<ClusterChange>> try_next() override {
    // The reader may run on another executor than the follower.
    auto script = [self = shared_from_this()](Call& call) { return self->take_next(call); };
    return run_call<ClusterChange>(runtime_, CallOptions().timeout(for_ever), CallSubject(*resolver_, "next change"), std::move(script));
  }

  const ClusterStatus& status() const override { return status_; }
  std::size_t untaken() const override { return changes_.size(); }

  void close() override {
    if (std::exchange(state_->is_closed, true) || !runtime_->loop.is_there()) return;
    asio::dispatch(runtime_->executor, [state = state_] { state->signal.emit(asio::cancellation_type::terminal); });
  }

 private:
  asio::awaitable<Result<ClusterChange>> take_next(Call& call) {
    if (is_being_read_)
      co_return Failure(Errc::invalid_argument, "another next() of this watch has not ended: it has one reader at a time");
    const ReaderMark mark(is_being_read_);
    const std::shared_ptr<WatchState> state = state_;
    const TimeSource& time = *impl_of(call).time;
    for (;;) {
      take_notices(time.now());
      if (changes_.empty()) co_await collect(time);
      if (!changes_.empty()) {
        ClusterChange change = std::move(changes_.front());
        changes_.pop_front();
        change.text = printable_line(change.text);
        co_return change;
      }
      if (state->end) co_return *state->end;
      const bool is_awake = co_await state->latest.wait(*impl_of(call).timers, SteadyTime::max());
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while waiting for a change");
    }
  }

  // Notices come before all unread changes, since there may be only seconds left.
  void take_notices(SteadyTime now) {
    const std::vector<Notice> notices = state_->latest.take_notices();
    for (auto notice = notices.rbegin(); notice != notices.rend(); ++notice) {
      ClusterChange& change = changes_.emplace_front(ChangeKind::notice, now);
      change.notice = *notice;
      change.text = fmt::format("{}: {} announced ({})", notice->subject, to_string(notice->kind), notice->text);
    }
  }

  // Appends all other changes to the queue. If it is cancelled midway, nothing has changed, and the next call starts again.
  asio::awaitable<void> collect(const TimeSource& time) {
    if (std::optional<ClusterStatus> taken = state_->latest.take()) news_ = std::move(taken);
    std::vector<ClusterChange> changes;
    std::optional<WaitVerdict> verdict;
    bool has_news = news_.has_value();
    if (has_news && is_known_) {
      const bool is_same = co_await is_same_status(*news_, status_);
      has_news = !is_same;
    }
    if (has_news) {
      StatusDiff diff(status_, *news_, time.now());
      while (diff.step(steps_a_turn)) co_await next_turn();
      changes = diff.take_changes();
      WaitJudge judge(*news_, until_, wait_options_, no_answers_, resolver_->describe(), MissingDetail::count_only);
      while (judge.poll(steps_a_turn)) co_await next_turn();
      verdict = judge.take_verdict();
    }
    const SteadyTime now = time.now();
    report_trouble(now);
    std::optional<ClusterStatus> former = std::exchange(news_, std::nullopt);
    if (!verdict && held_) take_verdict(WaitVerdict(*held_), now);
    if (verdict) {
      std::swap(status_, *former);
      is_known_ = true;
      std::move(changes.begin(), changes.end(), std::back_inserter(changes_));
      take_verdict(std::move(*verdict), now);
    }
    if (former) co_await discard_in_turns(std::move(former->members));
  }

  void report_trouble(SteadyTime now) {
    const std::string& trouble = state_->latest.trouble();
    if (trouble.empty() != trouble_.empty()) {
      ClusterChange& change = changes_.emplace_back(trouble.empty() ? ChangeKind::trouble_over : ChangeKind::trouble, now);
      change.text = trouble.empty() ? "could be asked again" : "cannot be asked: " + trouble;
    }
    trouble_ = trouble;
  }

  void take_verdict(WaitVerdict verdict, SteadyTime now) {
    held_.reset();
    if (verdict.is_ready && !was_ready_ && state_->latest.is_too_old(now)) {
      held_ = std::move(verdict);  // until the status is confirmed
      return;
    }
    // If no number of members is given, the number at the last readiness counts: a deleted pod leaves no other trace.
    if (verdict.is_ready && options_.members() == 0) wait_options_.members(std::max(wait_options_.members(), verdict.total));
    if (verdict.is_ready == was_ready_) return;
    was_ready_ = verdict.is_ready;
    ClusterChange& change = changes_.emplace_back(was_ready_ ? ChangeKind::cluster_ready : ChangeKind::cluster_broken, now);
    if (was_ready_) {
      change.text = fmt::format("{} is ready: {} {}", resolver_->describe(), verdict.ready, verdict.ready == 1 ? "member" : "members");
      if (verdict.listed > 0 && verdict.listed == verdict.ready) change.text += fmt::format(" {}", listed_text);
      return;
    }
    if (verdict.lost) {
      change.text = verdict.lost->what();
      return;
    }
    change.text = fmt::format("{} is not ready any more: {} of {} members are", resolver_->describe(), verdict.ready, verdict.total);
    const bool has_reason = status_.state.level != MemberState::ready && !status_.state.text.empty();
    if (has_reason) change.text += "; " + status_.state.text;
  }

  std::shared_ptr<ClusterResolver> resolver_;
  std::shared_ptr<Runtime::Impl> runtime_;
  WatchOptions options_;
  WaitOptions wait_options_;
  ProbeAnswers no_answers_;
  Readiness until_;
  std::shared_ptr<WatchState> state_;
  std::deque<ClusterChange> changes_;
  ClusterStatus status_;
  std::optional<ClusterStatus> news_;  // taken from `latest`, not compared yet
  std::string trouble_;
  std::optional<WaitVerdict> held_;  // ready by a status that is too old
  bool is_known_ = false;
  bool was_ready_ = false;
  bool is_being_read_ = false;
};

}  // namespace

asio::awaitable<ClusterChange> ClusterWatch::next() { return value_or_throw(try_next()); }

std::shared_ptr<ClusterWatch> watch(std::shared_ptr<ClusterResolver> resolver, WatchOptions options) {
  if (!resolver) return std::make_shared<RefusedWatch>();
  auto made = std::make_shared<Watch>(std::move(resolver), std::move(options));
  made->start();
  return made;
}

}  // namespace rollcall
