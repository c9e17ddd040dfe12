#include "resolvers/kubernetes/pod_follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "async/async_event.hpp"
#include "async/group.hpp"
#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/place_order.hpp"
#include "readiness/dated_observer.hpp"
#include "resolvers/kubernetes/claim_list.hpp"
#include "resolvers/kubernetes/pod_status.hpp"
#include "resolvers/kubernetes/pod_watch.hpp"
#include "resolvers/kubernetes/replaced_pods.hpp"

namespace rollcall {
namespace {

// A job without pods is waiting, since pods may still be created.
void note_empty_job(ClusterStatus& status, const std::string& job, const KubernetesOptions::Selectors& selectors) {
  if (status.state.level != MemberState::ready) return;
  status.state = Condition(MemberState::waiting, fmt::format("no pods of job {} ({})", quoted(job, 80),
                                                             printable(fmt::format("{}", fmt::join(selectors, "; ")), 200)));
}

void list_job(ClusterStatus& status, const std::string& job) {
  if (std::find(status.jobs.begin(), status.jobs.end(), job) == status.jobs.end()) status.jobs.push_back(job);
}

asio::awaitable<Result<FoundPods>> ask_selector(Call& call, const PodScope& scope, const std::string& selector) {
  Result<FoundPods> found = co_await list_pods(call, scope, selector, PodDetail::readiness);
  if (!found) co_return found.error();
  co_return found;
}

// The status of all jobs. `pods` has one list per selector and `firsts` one element per selector, in the order of `jobs`; `firsts` is kept
// between calls. All references must outlive the await.
asio::awaitable<ClusterStatus> status_of(const KubernetesOptions::LabelMapping& jobs, std::vector<PodPointers> pods,
                                         const KubernetesOptions& options, std::vector<FirstOrdinal>& firsts, PodClock& clock) {
  ClusterStatus status;
  CommonHardware hardware;
  std::size_t next = 0;
  int empty_jobs = 0;
  for (const auto& [job, selectors] : jobs) {
    list_job(status, job);  // so that the status shows the job whose members are missing
    const std::size_t start = status.members.size();
    int places = 0;
    for (std::size_t i = 0; i < selectors.size(); ++i, ++next) {
      drop_replaced(pods[next]);
      const TaskOrder order(options);
      co_await sort_in_turns(pods[next], order);
      // The tasks of each selector follow those of the selector before it, as in the spec.
      PodTasks tasks(job, pods[next], order, options, places, firsts[next], hardware, clock);
      while (tasks.add_to(status.members, steps_a_turn)) co_await next_turn();
      places = saturating_sum(places, tasks.places());
    }
    if (status.members.size() == start) {
      note_empty_job(status, job, selectors);
      ++empty_jobs;
    }
    status.expected = saturating_sum(status.expected, places);
  }
  // Empty jobs count as expected members when other jobs have members.
  if (!status.members.empty()) status.expected = saturating_sum(status.expected, empty_jobs);
  hardware.finish(status);
  co_return status;
}

// Follows all selectors of one cluster and reports one status.
class PodFollower {
 public:
  PodFollower(Call& call, const PodScope& scope, const KubernetesOptions::LabelMapping& jobs, StatusObserver& observer)
      : call_(call), options_(scope.options), jobs_(jobs), observer_(observer), claims_(call, scope) {
    for (const auto& [job, selectors] : jobs) {
      for (const std::string& selector : selectors) {
        watches_.emplace_back(call, scope, selector, observer, [this] {
          is_dirty_ = true;
          event_.wake();
        });
      }
    }
  }

  asio::awaitable<Result<void>> run() {
    std::vector<asio::awaitable<Result<void>>> all;
    for (PodWatch& watch : watches_) all.push_back(watch.run());
    all.push_back(publish());
    co_return co_await join(std::move(all));
  }

 private:
  // Merges many events into one report: the status of thousands of pods costs more than an event.
  asio::awaitable<Result<void>> publish() {
    Runtime::Impl& impl = impl_of(call_);
    for (;;) {
      if (!is_dirty_) {
        const bool is_awake = co_await event_.wait_until(*impl.timers, due_);
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
        if (impl.time->now() < due_) continue;
      }
      const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), lull_));
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
      is_dirty_ = false;
      if (!std::all_of(watches_.begin(), watches_.end(), [](const PodWatch& watch) { return watch.is_known(); })) continue;
      ClusterStatus status = co_await poll();
      // A status takes time for each pod, so the pause between two reports grows with the number of pods.
      lull_ = std::chrono::milliseconds(std::clamp<std::size_t>(status.members.size() / 250, 5, 1000));
      // The oldest selector decides: events of one selector do not confirm the others.
      SteadyTime oldest = SteadyTime::max();
      for (const PodWatch& watch : watches_) oldest = std::min(oldest, watch.seen_at());
      report_seen(observer_, Seen(oldest));
      observer_.report(std::move(status));
      const auto troubled =
          std::find_if(watches_.begin(), watches_.end(), [](const PodWatch& watch) { return watch.trouble().has_value(); });
      if (troubled != watches_.end()) observer_.report_trouble(*troubled->trouble());
    }
  }

  asio::awaitable<ClusterStatus> poll() {
    std::vector<std::vector<std::shared_ptr<const FoundPod>>> kept;  // keeps the pods unchanged while the watches take events
    std::vector<PodPointers> pods;
    for (const PodWatch& watch : watches_) {
      const std::vector<std::shared_ptr<const FoundPod>>& mine = kept.emplace_back(watch.pods());
      PodPointers& pointers = pods.emplace_back();
      pointers.reserve(mine.size());
      for (const auto& pod : mine) pointers.push_back(pod.get());
    }
    firsts_.resize(pods.size());
    co_await claims_.refresh(pods);
    FoundPodList claiming;
    count_claims(pods, claims_.book(), claiming);
    const Runtime::Impl& impl = impl_of(call_);
    PodClock clock(impl.time->wall_now());
    ClusterStatus status = co_await status_of(jobs_, std::move(pods), options_, firsts_, clock);
    due_ = clock.next ? saturating_sum(impl.time->now(), saturating_difference(*clock.next, clock.now)) : SteadyTime::max();
    co_return status;
  }

  Call& call_;
  const KubernetesOptions& options_;
  const KubernetesOptions::LabelMapping& jobs_;
  StatusObserver& observer_;
  std::deque<PodWatch> watches_;
  std::vector<FirstOrdinal> firsts_;
  KnownClaims claims_;
  AsyncEvent event_;
  bool is_dirty_ = false;
  SteadyTime due_ = SteadyTime::max();  // when a pod has to be judged again though it has not changed
  Duration lull_ = std::chrono::milliseconds(1);
};

}  // namespace

asio::awaitable<Result<ClusterStatus>> ask_pods(Call& call, const PodScope& scope, const KubernetesOptions::LabelMapping& jobs) {
  std::vector<asio::awaitable<Result<FoundPods>>> questions;
  for (const auto& [job, selectors] : jobs) {
    for (const std::string& selector : selectors) questions.push_back(ask_selector(call, scope, selector));
  }
  const Result<std::vector<FoundPods>> pods = co_await join(std::move(questions));
  if (!pods) co_return pods.error();
  std::vector<PodPointers> pointers;
  for (const FoundPods& of_selector : *pods) {
    PodPointers& mine = pointers.emplace_back();
    for (const FoundPod& pod : of_selector.pods) mine.push_back(&pod);
  }
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
  co_return co_await status_of(jobs, std::move(pointers), scope.options, firsts, clock);
}

asio::awaitable<Result<void>> follow_pods(Call& call, const PodScope& scope, const KubernetesOptions::LabelMapping& jobs,
                                          StatusObserver& observer) {
  PodFollower follower(call, scope, jobs, observer);
  co_return co_await follower.run();
}

}  // namespace rollcall
