#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "async/turns.hpp"
#include "async/with_background.hpp"
#include "base/saturating.hpp"
#include "base/timestamp.hpp"
#include "call/call_scope.hpp"
#include "readiness/fixed_members.hpp"
#include "readiness/follow.hpp"
#include "readiness/late_wait.hpp"
#include "readiness/latest_status.hpp"
#include "readiness/member_probe.hpp"
#include "readiness/own_pod.hpp"
#include "readiness/rules/poll_pace.hpp"
#include "readiness/rules/what_ends.hpp"
#include "readiness/status_diff.hpp"
#include "readiness/wait_judge.hpp"
#include "rollcall/wait.hpp"

namespace rollcall {
namespace {

// The state of one wait.
class Wait {
 public:
  Wait(Call& call, std::shared_ptr<ClusterResolver> resolver, Readiness until, const WaitOptions& options)
      : call_(call), impl_(impl_of(call)), resolver_(std::move(resolver)), until_(until), options_(options), latest_(existence_of(options)),
        probe_(until), own_pod_(own_pod(*impl_.environment, *impl_.files)) {
    last_poll_at_ = time_of_last_poll();
    progress_.started = call.started();
    phase_since_ = call.started();
  }

  asio::awaitable<Result<ClusterStatus>> run() { co_return co_await with_background(resolver_->do_follow(call_, latest_), watch_latest()); }

 private:
  // A member that is replaced may be absent in between.
  static Existence existence_of(const WaitOptions& options) {
    if (options.for_existence()) return Existence::waited_for;
    return options.for_replacement() ? Existence::once_seen : Existence::required;
  }

  asio::awaitable<Result<ClusterStatus>> watch_latest() {
    std::optional<Result<ClusterStatus>> ready;
    try {
      Result<ClusterStatus> seen = co_await poll_on();
      ready.emplace(std::move(seen));
    } catch (const std::system_error&) {  // cancelled between two steps of one judgement
      ready.emplace(stopped());
    }
    co_return std::move(*ready);
  }

  asio::awaitable<Result<ClusterStatus>> poll_on() {
    for (;;) {
      const bool is_awake = co_await latest_.wait(*impl_.timers, wake_at());
      if (!is_awake) co_return stopped();
      if (impl_.time->now() >= last_poll_at_) {
        const bool may_answer_later = co_await poll_once_more();
        last_poll_at_ = may_answer_later ? saturating_sum(impl_.time->now(), std::chrono::seconds(1)) : SteadyTime::max();
      }
      co_await take_news();
      if (is_known_ && probe_.is_needed()) {
        const Result<void> asked = co_await ask_members();
        if (!asked) co_return stopped();
      }
      WaitVerdict verdict = co_await judge();
      if ((verdict.is_ready || is_last_call_over(verdict)) && probe_.is_needed()) {
        // Some answers are old: a member that answers only at times must be probed again now.
        const Result<void> asked = co_await probe_.ask(call_, progress_.status, MembersAsked::all);
        if (!asked) co_return stopped();
        has_probed_ = true;
        co_await take_news();
        const Result<void> completed = co_await probe_.ask(call_, progress_.status, MembersAsked::unasked);
        if (!completed) co_return stopped();
        verdict = co_await judge();
      }
      co_await report_progress(verdict);
      if (verdict.lost) co_return std::move(*verdict.lost);
      if (verdict.is_ready) co_return std::move(progress_.status);
      if (is_last_call_over(verdict)) co_return take_ready_members();
      std::optional<Failure> late = late_phase();
      if (!late) continue;
      if (!resolver_->supports_watch() || polled_phase_ == phase_since_) co_return std::move(*late);
      polled_phase_ = phase_since_;
      co_await poll_once_more();
    }
  }

  // Polls before giving up if all reports came from a stream: a broken stream looks the same as one without changes. True if the poll
  // failed in a way that passes.
  asio::awaitable<bool> poll_once_more() {
    auto ask = [resolver = resolver_](Call& inner, std::size_t) { return resolver->do_explained_status(inner); };
    const SteadyTime began = impl_.time->now();
    Result<std::vector<Result<ExplainedStatus>>> asked =
        co_await ask_together<ExplainedStatus>(call_, 1, CallSubject(*resolver_, "explained_status"), std::move(ask));
    if (!asked) co_return false;
    Result<ExplainedStatus>& explained = asked->front();
    if (!explained) co_return may_pass(explained.error());
    if (explained->status.members.empty() && explained->status.causes.empty()) co_return false;
    report_seen(latest_, Seen(began));
    latest_.report(std::move(explained->status));
    co_return false;
  }

  SteadyTime time_of_last_poll() const {
    if (!resolver_->supports_watch()) return SteadyTime::max();
    const Duration time = saturating_difference(call_.deadline(), call_.started());
    return call_.deadline() - std::min<Duration>(time / 10, std::chrono::seconds(5));
  }

  asio::awaitable<void> take_news() {
    std::optional<ClusterStatus> news = latest_.take();
    if (!news) co_return;
    bool is_same = is_known_;
    if (is_same) is_same = co_await is_same_status(*news, progress_.status);
    is_known_ = true;
    has_news_ = has_news_ || !is_same;
    co_await replace_status(progress_.status, std::move(*news));
  }

  // Probes the failed members when their time has come, and after a change at most once a second; otherwise only new members.
  asio::awaitable<Result<void>> ask_members() {
    const SteadyTime now = impl_.time->now();
    if (has_news_) probe_at_ = std::min(probe_at_, std::max(now, probed_at_ + std::chrono::seconds(1)));
    const bool is_due = now >= probe_at_;
    if (!is_due && !has_news_) co_return Result<void>();
    if (is_due) {
      has_probed_ = true;
      probed_at_ = now;
    }
    co_return co_await probe_.ask(call_, progress_.status, is_due ? MembersAsked::unanswered : MembersAsked::unasked);
  }

  asio::awaitable<WaitVerdict> judge() {
    if (!is_known_) co_return WaitVerdict();
    WaitJudge judge(progress_.status, until_, options_, probe_.answers(), resolver_->describe());
    judge.set_own_pod(own_pod_);
    if (has_fixed_members(*resolver_)) judge.set_fixed();
    while (judge.poll(steps_a_turn)) co_await next_turn();
    WaitVerdict verdict = judge.take_verdict();
    verdict.is_ready = verdict.is_ready && !is_too_old();
    co_return verdict;
  }

  bool is_too_old() const { return latest_.is_too_old(impl_.time->now()); }

  // True if enough members are ready, and no other has become ready during the last call.
  bool is_last_call_over(const WaitVerdict& verdict) {
    if (options_.min_members() == 0 || verdict.lost || verdict.ready < options_.min_members() || is_too_old()) {
      last_call_end_ = SteadyTime::max();
      return false;
    }
    const SteadyTime now = impl_.time->now();
    if (last_call_end_ == SteadyTime::max() || verdict.ready > last_call_ready_) last_call_end_ = saturating_sum(now, options_.last_call());
    last_call_ready_ = verdict.ready;
    return now >= last_call_end_;
  }

  ClusterStatus take_ready_members() {
    std::set<std::pair<std::string_view, int>> missing;
    for (const MissingMember& one : progress_.missing) missing.emplace(one.member.job, one.member.index);
    ClusterStatus status = std::move(progress_.status);
    std::erase_if(status.members, [&missing](const Member& member) { return missing.contains({member.job, member.index}); });
    std::set<std::string_view> left;  // a job without ready members is removed: launchers would count it as a slice
    for (const Member& member : status.members) left.insert(member.job);
    std::erase_if(status.jobs, [&left](const std::string& job) { return !left.contains(job); });
    status.expected = static_cast<int>(status.members.size());
    return status;
  }

  // Updates progress_, and reports it if anything has changed.
  asio::awaitable<void> report_progress(WaitVerdict& verdict) {
    const SteadyTime now = impl_.time->now();
    const bool is_first = !std::exchange(has_sent_, true);
    MissingDiff::OnWaiting on_waiting;
    MissingDiff::OnReady on_ready;
    if (impl_.log) {
      on_waiting = [this](const MemberRange& members, const std::string& label, const std::string& why) {
        impl_.emit({.kind = EventKind::member_waiting, .call = call_.id(), .subject = label, .text = why, .members = members});
      };
      on_ready = [this](const MemberRange& members, const std::string& label) {
        impl_.emit({.kind = EventKind::member_ready, .call = call_.id(), .subject = label, .members = members});
      };
    }
    MissingDiff diff(progress_.missing, verdict.missing, now, std::move(on_waiting), std::move(on_ready));
    while (diff.step(steps_a_turn)) co_await next_turn();
    const bool has_news = std::exchange(has_news_, false);
    const bool has_changed = is_first || has_news || verdict.ready != progress_.ready || verdict.listed != progress_.listed ||
                             verdict.total != progress_.total || latest_.trouble() != progress_.trouble || diff.has_changed();
    const bool is_queued = progress_.status.phase == ClusterPhase::queued;
    const bool is_missing = is_absent(progress_.status);
    if (is_first || is_queued != was_queued_ || is_missing != was_absent_) phase_since_ = now;
    was_queued_ = is_queued;
    was_absent_ = is_missing;
    progress_.at = now;
    progress_.ready = verdict.ready;
    progress_.listed = verdict.listed;
    progress_.total = verdict.total;
    progress_.trouble = latest_.trouble();
    progress_.missing.swap(verdict.missing);
    // Only after a probe: frequent reports must not postpone the next one without end.
    if (std::exchange(has_probed_, false)) probe_at_ = saturating_sum(now, pace_.next(ClusterPhase::running, has_changed, impl_.uniform()));
    if (has_changed && options_.on_progress()) options_.on_progress()(progress_);
    co_await discard_in_turns(std::move(verdict.missing));
  }

  // Cancelled, or the deadline: the call's outer layer decides which, and uses this text.
  Failure stopped() {
    progress_.at = impl_.time->now();
    state_of(call_).unfinished =
        fmt::format("{}: not ready within {}: {}", resolver_->describe(), coarse_duration_text(options_.timeout()), summary());
    return Failure(Errc::cancelled, "cancelled while waiting").with_hint(hint_of_late());
  }

  std::string hint_of_late() const {
    if (!progress_.trouble.empty()) return latest_.trouble_hint();
    return is_known_ ? hint_of_late_wait(progress_, options_) : std::string();
  }
  std::string summary() const { return wait_summary(progress_, resolver_->describe()); }

  std::optional<Duration> phase_timeout() const {
    if (is_absent(progress_.status)) return std::nullopt;
    return progress_.status.phase == ClusterPhase::queued ? options_.queue_timeout() : options_.provision_timeout();
  }

  std::optional<Failure> late_phase() const {
    const std::optional<Duration> limit = phase_timeout();
    if (!is_known_ || !limit || impl_.time->now() < saturating_sum(phase_since_, *limit)) return std::nullopt;
    const bool is_queued = progress_.status.phase == ClusterPhase::queued;
    return Failure(Errc::deadline_exceeded, fmt::format("{}: {} within {}: {}", resolver_->describe(),
                                                        is_queued ? "still queued for capacity, not granted" : "granted, but not ready",
                                                        coarse_duration_text(*limit), summary()))
        .with_hint(is_queued ? "the request stays: delete it, or it may be granted and billed although no program waits for it"
                             : "the machines stay: look at them, or delete them");
  }

  SteadyTime wake_at() const {
    SteadyTime when = SteadyTime::max();
    if (is_known_ && probe_.is_needed()) when = probe_at_;
    if (const std::optional<Duration> limit = phase_timeout(); limit && is_known_)
      when = std::min(when, saturating_sum(phase_since_, *limit));
    return std::min({when, last_call_end_, last_poll_at_});
  }

  Call& call_;
  Runtime::Impl& impl_;
  std::shared_ptr<ClusterResolver> resolver_;
  Readiness until_;
  const WaitOptions& options_;
  LatestStatus latest_;
  MemberProbe probe_;
  std::string own_pod_;
  PollPace pace_{std::chrono::seconds(1), std::chrono::seconds(5)};  // for probes of members, which cost no quota
  SteadyTime probe_at_{};
  SteadyTime probed_at_{};
  bool has_probed_ = false;  // since progress_ was updated
  SteadyTime phase_since_{};
  WaitProgress progress_;   // its status is always the last one taken
  SteadyTime last_poll_at_{};
  std::optional<SteadyTime> polled_phase_;  // the beginning of the phase that was polled at its limit
  SteadyTime last_call_end_ = SteadyTime::max();
  int last_call_ready_ = 0;
  bool is_known_ = false;   // a status was reported
  bool has_news_ = false;   // it differs from the last one reported to the caller
  bool has_sent_ = false;
  bool was_queued_ = false;
  bool was_absent_ = false;
};

asio::awaitable<Result<ClusterStatus>> run_wait(Call& call, std::shared_ptr<ClusterResolver> resolver, Readiness until,
                                                std::shared_ptr<const WaitOptions> options) {
  if (std::optional<Failure> refusal = refusal_of(*options)) co_return std::move(*refusal);
  Wait wait(call, std::move(resolver), until, *options);
  co_return co_await wait.run();
}

}  // namespace

asio::awaitable<Result<ClusterStatus>> try_wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until,
                                                            WaitOptions options) {
  if (!resolver) return refuse_wait();
  CallOptions call_options = options.request_options();
  call_options.timeout(options.timeout());
  const std::shared_ptr<Runtime::Impl> runtime = shared_impl_of(resolver->runtime());
  auto script = [resolver, until, shared = std::make_shared<const WaitOptions>(std::move(options))](Call& call) {
    return run_wait(call, resolver, until, shared);
  };
  return run_call<ClusterStatus>(runtime, std::move(call_options), CallSubject(*resolver, "wait_until_ready"), std::move(script));
}

asio::awaitable<ClusterStatus> wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until, WaitOptions options) {
  return value_or_throw(try_wait_until_ready(std::move(resolver), until, std::move(options)));
}

}  // namespace rollcall
