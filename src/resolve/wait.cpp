#include <fmt/format.h>

#include "async/beside.hpp"
#include "async/call_scope.hpp"
#include "async/unwrap.hpp"
#include "core/coarse_duration.hpp"
#include "core/poll_pace.hpp"
#include "resolve/member_probe.hpp"
#include "resolve/status_board.hpp"
#include "resolve/wait_judge.hpp"
#include "rollcall/wait.hpp"

namespace rollcall {
namespace {

// The state of one wait.
class Wait {
 public:
  Wait(Call& call, std::shared_ptr<ClusterResolver> resolver, Readiness until, const WaitOptions& options)
      : call_(call), impl_(call.impl()), resolver_(std::move(resolver)), until_(until), options_(options),
        board_(options.for_existence() ? Existence::waited_for : Existence::required), probe_(until) {
    progress_.started = call.started();
    phase_since_ = call.started();
  }

  asio::awaitable<Result<ClusterStatus>> run() {
    Result<ClusterStatus> ready = co_await beside(resolver_->do_follow(call_, board_), watch_board());
    co_return ready;
  }

 private:
  asio::awaitable<Result<ClusterStatus>> watch_board() {
    for (;;) {
      const bool is_awake = co_await board_.wait(*impl_.timers, wake_at());
      if (!is_awake) co_return stopped();
      if (const std::optional<ClusterStatus>& status = board_.latest(); status && probe_.is_needed()) {
        const bool has_changed = *status != progress_.status;
        if (has_changed || impl_.time->now() >= probe_at_) {
          const ClusterStatus copy = *status;
          const Result<void> asked = co_await probe_.ask(call_, copy, false);
          if (!asked) co_return stopped();
          has_probed_ = true;
        }
      }
      WaitVerdict verdict = judge();
      if (verdict.is_ready && probe_.is_needed()) {
        // Some have answered long ago: a member that flaps must not slip through.
        const ClusterStatus copy = *board_.latest();
        const Result<void> asked = co_await probe_.ask(call_, copy, true);
        if (!asked) co_return stopped();
        has_probed_ = true;
        verdict = judge();
      }
      tell(verdict);
      if (verdict.lost) co_return std::move(*verdict.lost);
      if (verdict.is_ready) co_return *board_.latest();
      if (std::optional<Failure> late = late_phase()) co_return std::move(*late);
    }
  }

  WaitVerdict judge() const {
    if (board_.latest()) return judge_status(*board_.latest(), until_, options_, probe_.answers(), resolver_->describe());
    return WaitVerdict();
  }

  // Brings progress_ up to date, and says so if anything is new.
  void tell(WaitVerdict& verdict) {
    const SteadyTime now = impl_.time->now();
    const bool is_first = !std::exchange(has_told_, true);
    WaitProgress next;
    next.at = now;
    next.started = progress_.started;
    if (board_.latest()) next.status = *board_.latest();
    next.ready = verdict.ready;
    next.total = verdict.total;
    next.missing = std::move(verdict.missing);
    next.trouble = board_.trouble();
    ledger_.note(next.missing, now);
    const bool has_changed = is_first || next.status != progress_.status || next.ready != progress_.ready ||
                             next.total != progress_.total || next.trouble != progress_.trouble ||
                             !same_missing(next.missing, progress_.missing);
    const auto is_queued = [](const WaitProgress& progress) { return progress.status.phase == ClusterPhase::queued; };
    if (is_first || is_queued(next) != is_queued(progress_) || is_absent(next.status) != is_absent(progress_.status)) phase_since_ = now;
    tell_log(next);
    progress_ = std::move(next);
    // Only after a look: reports that come more often must not put the next one off for ever.
    if (std::exchange(has_probed_, false)) probe_at_ = now + pace_.next(ClusterPhase::running, has_changed, impl_.uniform());
    if (has_changed && options_.on_progress()) options_.on_progress()(progress_);
  }

  // Cancelled, or the deadline: the edge of the call knows which, and takes the words from here.
  Failure stopped() {
    progress_.at = impl_.time->now();
    call_.state().unfinished =
        fmt::format("{}: not ready within {}: {}", resolver_->describe(), coarse_duration_text(options_.timeout()), story());
    return Failure(Errc::cancelled, "cancelled while waiting");
  }

  static bool same_missing(const std::vector<MissingMember>& a, const std::vector<MissingMember>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const MissingMember& x, const MissingMember& y) { return x.member == y.member && x.why == y.why; });
  }

  void tell_log(const WaitProgress& next) const {
    if (!impl_.log) return;
    for (const MissingMember& one : next.missing) {
      if (one.since != next.at) continue;
      const std::string label = one.member.label();
      impl_.emit({.kind = EventKind::member_waiting, .call = call_.id(), .subject = label, .text = one.why});
    }
    for (const MissingMember& before : progress_.missing) {
      const auto same = [&before](const MissingMember& m) {
        return m.member.job == before.member.job && m.member.index == before.member.index;
      };
      if (std::any_of(next.missing.begin(), next.missing.end(), same)) continue;
      const std::string label = before.member.label();
      impl_.emit({.kind = EventKind::member_ready, .call = call_.id(), .subject = label});
    }
  }

  // How it stands, for the message of a wait that ends without success.
  std::string story() const {
    std::string text = progress_.total > 0 ? fmt::format("{} of {} ready", progress_.ready, progress_.total) : "no member is known";
    if (progress_.status.state.standing != Standing::ready && !progress_.status.state.text.empty()) {
      text += "; " + progress_.status.state.text;
    }
    if (!progress_.missing.empty()) text += "; missing: " + progress_.missing_text();
    if (!progress_.trouble.empty()) text += "; last trouble: " + progress_.trouble;
    return text;
  }

  // Nothing is being made as long as nothing exists.
  static bool is_absent(const ClusterStatus& status) {
    return status.phase != ClusterPhase::queued && status.members.empty() && status.expected == 0 &&
           status.state.standing == Standing::waiting;
  }

  std::optional<Duration> phase_timeout() const {
    if (is_absent(progress_.status)) return std::nullopt;
    return progress_.status.phase == ClusterPhase::queued ? options_.queue_timeout() : options_.provision_timeout();
  }

  std::optional<Failure> late_phase() const {
    const std::optional<Duration> limit = phase_timeout();
    if (!board_.latest() || !limit || impl_.time->now() < phase_since_ + *limit) return std::nullopt;
    const bool is_queued = progress_.status.phase == ClusterPhase::queued;
    return Failure(Errc::deadline_exceeded, fmt::format("{}: {} within {}: {}", resolver_->describe(),
                                                        is_queued ? "still queued for capacity, not granted" : "granted, but not ready",
                                                        coarse_duration_text(*limit), story()))
        .with_hint(is_queued ? "the request stays: delete it, or it may be granted and paid for when nobody waits"
                             : "the machines stay: look at them, or delete them");
  }

  SteadyTime wake_at() const {
    SteadyTime when = SteadyTime::max();
    if (board_.latest() && probe_.is_needed()) when = probe_at_;
    if (const std::optional<Duration> limit = phase_timeout(); limit && board_.latest()) when = std::min(when, phase_since_ + *limit);
    return when;
  }

  Call& call_;
  Runtime::Impl& impl_;
  std::shared_ptr<ClusterResolver> resolver_;
  Readiness until_;
  const WaitOptions& options_;
  StatusBoard board_;
  MemberProbe probe_;
  PollPace pace_{std::chrono::seconds(1), std::chrono::seconds(5)};  // of asking members: that costs no quota
  SteadyTime probe_at_{};
  bool has_probed_ = false;  // since progress_ was brought up to date
  SteadyTime phase_since_{};
  WaitProgress progress_;
  bool has_told_ = false;
  WaitLedger ledger_;
};

asio::awaitable<Result<ClusterStatus>> run_wait(Call& call, std::shared_ptr<ClusterResolver> resolver, Readiness until,
                                                std::shared_ptr<const WaitOptions> options) {
  Wait wait(call, std::move(resolver), until, *options);
  Result<ClusterStatus> ready = co_await wait.run();
  co_return ready;
}

}  // namespace

asio::awaitable<Result<ClusterStatus>> try_wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until,
                                                            WaitOptions options) {
  CallOptions call_options = options.question();
  call_options.timeout(options.timeout());
  const std::shared_ptr<Runtime::Impl> runtime = resolver->runtime().shared();
  const ClusterResolver& subject = *resolver;
  auto script = [resolver = std::move(resolver), until, shared = std::make_shared<const WaitOptions>(std::move(options))](Call& call) {
    return run_wait(call, resolver, until, shared);
  };
  return run_call<ClusterStatus>(runtime, std::move(call_options), CallSubject(subject, "wait_until_ready"), std::move(script));
}

asio::awaitable<ClusterStatus> wait_until_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until, WaitOptions options) {
  return value_or_throw(try_wait_until_ready(std::move(resolver), until, std::move(options)));
}

}  // namespace rollcall
