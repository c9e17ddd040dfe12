#include "resolvers/kubernetes/pod_follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>

#include "async/async_event.hpp"
#include "async/group.hpp"
#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/dated_observer.hpp"
#include "readiness/follow.hpp"
#include "resolvers/kubernetes/claim_list.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"
#include "resolvers/kubernetes/pod_watch.hpp"
#include "resolvers/kubernetes/status_of_pods.hpp"

namespace rollcall {
namespace {

// One question within the long call.
asio::awaitable<Result<void>> in_question(Call& call, std::function<asio::awaitable<Result<void>>(Call&)> ask) {
  auto script = [ask = std::move(ask), until = call.deadline()](Call& inner) {
    state_of(inner).asked_again_until = until;
    return ask(inner);
  };
  return run_call<void>(impl_of(call).shared_from_this(), question_options(call), CallSubject("workloads of pods"), std::move(script));
}

// True if no member is missing, as far as the service says: then the wait may end.
bool seems_complete(const ClusterStatus& status) {
  const auto is_there = [](const Member& member) { return member.state.level == MemberState::ready; };
  return static_cast<int>(status.members.size()) >= status.expected && std::all_of(status.members.begin(), status.members.end(), is_there);
}

// Follows all selectors of one cluster and reports one status.
class PodFollower {
 public:
  PodFollower(Call& call, const PodScope& scope, ExpectedPods& expected, StatusObserver& observer)
      : call_(call), options_(scope.options), expected_(expected), jobs_(expected.jobs()), observer_(observer), claims_(call, scope) {
    for (const auto& [job, selectors] : jobs_) {
      for (const std::string& selector : selectors) {
        watches_.emplace_back(call, scope, selector, observer, [this] {
          is_dirty_ = true;
          event_.wake();
        });
      }
    }
    if (expected.is_named()) read_at_ = impl_of(call).time->now();  // by follow_pods()
  }

  asio::awaitable<Result<void>> run() {
    std::vector<asio::awaitable<Result<void>>> all;
    for (PodWatch& watch : watches_) all.push_back(watch.run());
    all.push_back(publish());
    co_return co_await join(std::move(all));
  }

  /// True if run() has ended because the workload has other jobs now.
  bool has_other_jobs() const noexcept { return has_other_jobs_; }

 private:
  // Merges many events into one report: the status of thousands of pods costs more than an event.
  asio::awaitable<Result<void>> publish() {
    Runtime::Impl& impl = impl_of(call_);
    for (;;) {
      if (!is_dirty_) {
        const SteadyTime wake_at = std::min(refresh_at_, due_);
        const bool is_awake = co_await event_.wait_until(*impl.timers, wake_at);
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
        if (!is_dirty_ && impl.time->now() < wake_at) continue;
      }
      const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), lull_));
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
      // Without a change only the workloads are read again, which says nothing new if they are as before.
      const bool is_reread_only = !is_dirty_ && impl.time->now() < due_;
      is_dirty_ = false;
      if (!std::all_of(watches_.begin(), watches_.end(), [](const PodWatch& watch) { return watch.is_known(); })) continue;
      std::optional<ClusterStatus> status;
      const Result<void> asked = co_await poll(status, is_reread_only);
      if (!asked) {
        if (asked.error().code() == Errc::cancelled || has_other_jobs_ || patience_.is_over(asked.error())) co_return asked.error();
        observer_.report_trouble(asked.error());
        due_ = refresh_at_ = saturating_sum(impl.time->now(), pace_.next(ClusterPhase::running, false, impl.uniform()));
        continue;
      }
      patience_.note_success();
      if (!status) continue;
      // A status takes time for each pod, so the pause between two reports grows with the number of pods.
      lull_ = std::chrono::milliseconds(std::clamp<std::size_t>(status->members.size() / 250, 5, 1000));
      // The oldest selector decides: events of one selector do not confirm the others.
      SteadyTime oldest = SteadyTime::max();
      for (const PodWatch& watch : watches_) oldest = std::min(oldest, watch.seen_at());
      if (watches_.empty()) oldest = read_at_;
      report_seen(observer_, Seen(oldest));
      observer_.report(std::move(*status));
      const auto troubled =
          std::find_if(watches_.begin(), watches_.end(), [](const PodWatch& watch) { return watch.trouble().has_value(); });
      if (troubled != watches_.end()) observer_.report_trouble(*troubled->trouble());
    }
  }

  // The workloads are read again where they may have changed since: with the pods, after a while, and before all seems to be there. No
  // status: nothing has changed.
  asio::awaitable<Result<void>> poll(std::optional<ClusterStatus>& status, bool is_reread_only) {
    const SteadyTime now = impl_of(call_).time->now();
    constexpr Duration fresh = std::chrono::seconds(1);
    bool is_read = read_at_ == now;
    if (!is_read && expected_.has_workloads() && now >= std::min(refresh_at_, saturating_sum(read_at_, fresh))) {
      const std::uint64_t before = expected_.revision();
      const Result<void> done = co_await refresh();
      if (!done) co_return done.error();
      if (is_reread_only && expected_.revision() == before) co_return Result<void>();
      is_read = true;
    }
    for (;;) {
      const Result<void> polled = co_await poll_pods(status);
      if (!polled) co_return polled.error();
      if (is_read || !expected_.has_workloads() || !seems_complete(*status)) co_return Result<void>();
      const Result<void> done = co_await refresh();
      if (!done) co_return done.error();
      is_read = true;
    }
  }

  asio::awaitable<Result<void>> refresh() {
    const SteadyTime began = impl_of(call_).time->now();
    const std::uint64_t before = expected_.revision();
    std::function<asio::awaitable<Result<void>>(Call&)> ask = [this](Call& inner) { return expected_.refresh(inner); };
    const Result<void> done = co_await in_question(call_, std::move(ask));
    if (!done) co_return done.error();
    read_at_ = began;
    const bool has_changed = expected_.revision() != before;
    refresh_at_ = SteadyTime::max();
    if (expected_.has_workloads())
      refresh_at_ = saturating_sum(began, pace_.next(ClusterPhase::running, has_changed, impl_of(call_).uniform()));
    if (expected_.jobs() != jobs_) {
      has_other_jobs_ = true;
      co_return Failure(Errc::cancelled, "the workload has other jobs now");
    }
    co_return Result<void>();
  }

  asio::awaitable<Result<void>> poll_pods(std::optional<ClusterStatus>& status) {
    std::vector<std::vector<std::shared_ptr<const FoundPod>>> kept;  // keeps the pods unchanged while the watches take events
    std::vector<PodPointers> pods;
    for (const PodWatch& watch : watches_) {
      const std::vector<std::shared_ptr<const FoundPod>>& mine = kept.emplace_back(watch.pods());
      PodPointers& pointers = pods.emplace_back();
      pointers.reserve(mine.size());
      for (const auto& pod : mine) pointers.push_back(pod.get());
    }
    firsts_.resize(pods.size());
    if (expected_.has_new_owners(pods)) {
      std::function<asio::awaitable<Result<void>>(Call&)> ask = [this, &pods](Call& inner) { return expected_.look_up(inner, pods); };
      const Result<void> found = co_await in_question(call_, std::move(ask));
      if (!found) co_return found.error();
    }
    expected_.take(pods);
    note_unknown_number(call_, expected_, said_);
    if (expected_.has_workloads() && refresh_at_ == SteadyTime::max()) {
      read_at_ = impl_of(call_).time->now();
      refresh_at_ = saturating_sum(read_at_, pace_.next(ClusterPhase::running, true, impl_of(call_).uniform()));
    }
    co_await claims_.refresh(pods);
    FoundPodList claiming;
    count_claims(pods, claims_.book(), claiming);
    const Runtime::Impl& impl = impl_of(call_);
    PodClock clock(impl.time->wall_now());
    ClusterStatus made = co_await status_of_pods(expected_, std::move(pods), options_, firsts_, clock);
    leave_out_unknown_number(call_, expected_, made);
    due_ = clock.next ? saturating_sum(impl.time->now(), saturating_difference(*clock.next, clock.now)) : SteadyTime::max();
    status.emplace(std::move(made));
    co_return Result<void>();
  }

  Call& call_;
  const KubernetesOptions& options_;
  ExpectedPods& expected_;
  const KubernetesOptions::LabelMapping jobs_;
  StatusObserver& observer_;
  std::deque<PodWatch> watches_;
  std::vector<FirstOrdinal> firsts_;
  KnownClaims claims_;
  AsyncEvent event_;
  bool is_dirty_ = true;
  bool has_other_jobs_ = false;
  SteadyTime due_ = SteadyTime::max();  // when a pod has to be judged again though it has not changed
  Duration lull_ = std::chrono::milliseconds(1);
  SteadyTime read_at_{};  // when the workloads were read
  SteadyTime refresh_at_ = SteadyTime::max();
  PollPace pace_;
  PollPatience patience_;
  std::string said_;
};

}  // namespace

asio::awaitable<Result<ClusterStatus>> ask_pods(Call& call, const PodScope& scope, ExpectedPods& expected) {
  if (expected.is_named()) {
    const Result<void> read = co_await expected.refresh(call);
    if (!read) co_return read.error();
  }
  std::vector<asio::awaitable<Result<FoundPods>>> questions;
  for (const auto& [job, selectors] : expected.jobs()) {
    for (const std::string& selector : selectors) questions.push_back(list_pods(call, scope, selector, PodDetail::readiness));
  }
  const Result<std::vector<FoundPods>> pods = co_await join(std::move(questions));
  if (!pods) co_return pods.error();
  std::vector<PodPointers> pointers;
  for (const FoundPods& of_selector : *pods) {
    PodPointers& mine = pointers.emplace_back();
    for (const FoundPod& pod : of_selector.pods) mine.push_back(&pod);
  }
  const Result<void> found = co_await expected.look_up(call, pointers);
  if (!found) co_return found.error();
  expected.take(pointers);
  std::string said;
  note_unknown_number(call, expected, said);
  ClaimBook book;
  const ClaimNeeds needs(pointers);
  if (!needs.empty()) {
    Result<ClaimBook> claims = co_await list_claims(call, scope, needs);
    if (claims) {
      book = *std::move(claims);
    } else if (claims.error().code() == Errc::cancelled) {
      co_return claims.error();
    } else {
      note_unknown_claims(call, scope, claims.error());
    }
  }
  FoundPodList claiming;
  count_claims(pointers, book, claiming);
  std::vector<FirstOrdinal> firsts(pointers.size());
  PodClock clock(impl_of(call).time->wall_now());
  ClusterStatus status = co_await status_of_pods(expected, std::move(pointers), scope.options, firsts, clock);
  leave_out_unknown_number(call, expected, status);
  co_return status;
}

asio::awaitable<Result<void>> follow_pods(Call& call, const PodScope& scope, ExpectedPods& expected, StatusObserver& observer) {
  if (!expected.is_named()) {
    PodFollower follower(call, scope, expected, observer);
    co_return co_await follower.run();
  }
  Runtime::Impl& impl = impl_of(call);
  PollPatience patience;
  PollPace pace;
  bool has_seen = false;
  for (;;) {
    std::function<asio::awaitable<Result<void>>(Call&)> ask = [&expected](Call& inner) { return expected.refresh(inner); };
    Result<void> ended = co_await in_question(call, std::move(ask));
    if (ended) {
      patience.note_success();
      has_seen = true;
      PodFollower follower(call, scope, expected, observer);
      ended = co_await follower.run();
      if (follower.has_other_jobs()) continue;
      if (ended) co_return ended;
    }
    const Failure failure = ended.error();
    const bool is_awaited = observer.waits_for_existence() || (has_seen && observer.waits_for_return());
    if (failure.code() == Errc::not_found && is_awaited) {
      report_seen(observer, Seen(impl.time->now()));
      observer.report(not_there_yet(failure));
    } else if (failure.code() == Errc::cancelled || patience.is_over(failure)) {
      co_return failure;
    } else {
      observer.report_trouble(failure);
    }
    const Duration pause = pace.next(ClusterPhase::running, false, impl.uniform());
    const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), pause));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while waiting for a workload");
  }
}

}  // namespace rollcall
