#include "resolve/pod_follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "async/group.hpp"
#include "async/runtime_impl.hpp"
#include "async/waiter.hpp"
#include "core/text.hpp"
#include "resolve/pod_status.hpp"
#include "resolve/pod_watch.hpp"

namespace rollcall {
namespace {

// A job without pods may get some: the cluster is not there yet.
void note_empty_job(ClusterStatus& status, const std::string& job, const KubernetesOptions::Selectors& selectors) {
  if (status.state.standing != Standing::ready) return;
  status.state = Condition(Standing::waiting, fmt::format("no pods of job {} ({})", quoted(job, 80),
                                                          printable(fmt::format("{}", fmt::join(selectors, "; ")), 200)));
}

asio::awaitable<Result<std::vector<FoundPod>>> ask_selector(Call& call, const KubernetesServer& server, const KubernetesOptions& options,
                                                            const std::string& name_space, const std::string& selector) {
  Result<FoundPods> found = co_await list_pods(call, server, options, name_space, selector, PodDetail::readiness);
  if (!found) co_return found.error();
  co_return std::move(found->pods);
}

// `firsts`: one for each selector.
ClusterStatus status_of(const KubernetesOptions::LabelMapping& jobs, std::vector<PodPointers> pods, const KubernetesOptions& options,
                        std::vector<FirstOrdinal>& firsts) {
  ClusterStatus status;
  std::size_t next = 0;
  int empty_jobs = 0;
  for (const auto& [job, selectors] : jobs) {
    ClusterStatus of_job;
    for (std::size_t i = 0; i < selectors.size(); ++i, ++next) {
      ClusterStatus part;
      add_pods(part, job, std::move(pods[next]), options, firsts[next]);
      // One selector's tasks follow another's, as in the spec.
      const int offset = of_job.expected;
      for (Member& member : part.members) member.index += offset;
      std::move(part.members.begin(), part.members.end(), std::back_inserter(of_job.members));
      of_job.expected += part.expected;
    }
    if (of_job.members.empty()) {
      note_empty_job(status, job, selectors);
      ++empty_jobs;
    }
    std::move(of_job.members.begin(), of_job.members.end(), std::back_inserter(status.members));
    status.expected += of_job.expected;
  }
  if (!status.members.empty()) status.expected += empty_jobs;  // beside those that are there it must not be forgotten
  return status;
}

// All selectors of one cluster, and who tells of them.
class PodFollower {
 public:
  PodFollower(Call& call, const KubernetesServer& server, const KubernetesOptions& options, const KubernetesOptions::LabelMapping& jobs,
              const std::string& name_space, StatusFeed& feed)
      : call_(call), options_(options), jobs_(jobs), feed_(feed) {
    for (const auto& [job, selectors] : jobs) {
      for (const std::string& selector : selectors) {
        watches_.emplace_back(call, server, options, name_space, selector, feed, [this] {
          is_dirty_ = true;
          waiter_.wake();
        });
      }
    }
  }

  asio::awaitable<Result<void>> run() {
    std::vector<asio::awaitable<Result<void>>> all;
    for (PodWatch& watch : watches_) all.push_back(watch.run());
    all.push_back(publish());
    const Result<void> ended = co_await join(std::move(all));
    co_return ended;
  }

 private:
  // A storm of events is told as one: making a status of thousands of pods costs more than an event.
  asio::awaitable<Result<void>> publish() {
    Runtime::Impl& impl = call_.impl();
    for (;;) {
      if (!is_dirty_) {
        const bool is_awake = co_await waiter_.wait();
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
        continue;
      }
      const bool is_awake = co_await sleep_until(*impl.timers, impl.time->now() + lull_);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
      is_dirty_ = false;
      if (!std::all_of(watches_.begin(), watches_.end(), [](const PodWatch& watch) { return watch.is_known(); })) continue;
      std::vector<PodPointers> pods;
      for (const PodWatch& watch : watches_) pods.push_back(watch.pods());
      firsts_.resize(pods.size());
      ClusterStatus status = status_of(jobs_, std::move(pods), options_, firsts_);
      lull_ = std::chrono::milliseconds(std::clamp<std::size_t>(status.members.size() / 250, 5, 40));
      feed_.report(std::move(status));
      const auto troubled =
          std::find_if(watches_.begin(), watches_.end(), [](const PodWatch& watch) { return watch.trouble().has_value(); });
      if (troubled != watches_.end()) feed_.report_trouble(*troubled->trouble());
    }
  }

  Call& call_;
  const KubernetesOptions& options_;
  const KubernetesOptions::LabelMapping& jobs_;
  StatusFeed& feed_;
  std::deque<PodWatch> watches_;
  std::vector<FirstOrdinal> firsts_;
  Waiter waiter_;
  bool is_dirty_ = false;
  Duration lull_ = std::chrono::milliseconds(1);
};

}  // namespace

asio::awaitable<Result<ClusterStatus>> ask_pods(Call& call, const KubernetesServer& server, const KubernetesOptions& options,
                                                const KubernetesOptions::LabelMapping& jobs, std::string name_space) {
  std::vector<asio::awaitable<Result<std::vector<FoundPod>>>> questions;
  for (const auto& [job, selectors] : jobs) {
    for (const std::string& selector : selectors) questions.push_back(ask_selector(call, server, options, name_space, selector));
  }
  const Result<std::vector<std::vector<FoundPod>>> pods = co_await join(std::move(questions));
  if (!pods) co_return pods.error();
  std::vector<PodPointers> pointers;
  for (const std::vector<FoundPod>& of_selector : *pods) {
    PodPointers& mine = pointers.emplace_back();
    for (const FoundPod& pod : of_selector) mine.push_back(&pod);
  }
  std::vector<FirstOrdinal> firsts(pointers.size());
  co_return status_of(jobs, std::move(pointers), options, firsts);
}

asio::awaitable<Result<void>> follow_pods(Call& call, const KubernetesServer& server, const KubernetesOptions& options,
                                          const KubernetesOptions::LabelMapping& jobs, std::string name_space, StatusFeed& feed) {
  PodFollower follower(call, server, options, jobs, name_space, feed);
  const Result<void> ended = co_await follower.run();
  co_return ended;
}

}  // namespace rollcall
