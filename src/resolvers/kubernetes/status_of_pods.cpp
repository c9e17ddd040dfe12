#include "resolvers/kubernetes/status_of_pods.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "cluster/place_order.hpp"

namespace rollcall {
namespace {

// A job without pods is waiting, since pods may still be created.
void note_empty_job(ClusterStatus& status, const std::string& job, const KubernetesOptions::Selectors& selectors) {
  if (status.state.level != MemberState::ready) return;
  std::string text = fmt::format("no pods of job {}", quoted(job, 80));
  const std::string by = printable(fmt::format("{}", fmt::join(selectors, "; ")), 200);
  if (!by.empty()) text += fmt::format(" ({})", by);
  status.state = Condition(MemberState::waiting, std::move(text));
}

// In the order of their places, without a comparison: nearly always each pod has a place of its own. False: some have not, and nothing is
// changed.
asio::awaitable<bool> put_in_places(PodPointers& pods, const PodPlaces& places) {
  std::vector<const FoundPod*> by_place(2 * pods.size() + 64);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (i % (4 * steps_a_turn) == 4 * steps_a_turn - 1) co_await next_turn();
    const auto place = static_cast<std::size_t>(places.of(*pods[i]).value_or(-1));
    if (place >= by_place.size() || by_place[place]) co_return false;
    by_place[place] = pods[i];
  }
  std::copy_if(by_place.begin(), by_place.end(), pods.begin(), [](const FoundPod* pod) { return pod != nullptr; });
  co_return true;
}

void list_job(ClusterStatus& status, const std::string& job) {
  if (std::find(status.jobs.begin(), status.jobs.end(), job) == status.jobs.end()) status.jobs.push_back(job);
}

}  // namespace

asio::awaitable<ClusterStatus> status_of_pods(const ExpectedPods& expected, std::vector<PodPointers> pods, const KubernetesOptions& options,
                                              std::vector<FirstOrdinal>& firsts, PodClock& clock) {
  ClusterStatus status;
  CommonHardware hardware;
  std::size_t next = 0;
  int empty_jobs = 0;
  std::vector<int> places_of_selectors;
  for (const auto& [job, selectors] : expected.jobs()) {
    list_job(status, job);  // so that the status shows the job whose members are missing
    const std::size_t start = status.members.size();
    int places = 0;
    for (std::size_t i = 0; i < selectors.size(); ++i, ++next) {
      const PodPlaces* const numbered = expected.places(next);
      const TaskOrder order(options, numbered);
      bool is_in_order = false;
      if (numbered) is_in_order = co_await put_in_places(pods[next], *numbered);
      if (!is_in_order) co_await sort_in_turns(pods[next], order);
      // The tasks of each selector follow those of the selector before it, as in the spec.
      PodTasks tasks(job, pods[next], order, options, places, firsts[next], hardware, clock, numbered);
      while (tasks.add_to(status.members, steps_a_turn)) co_await next_turn();
      places_of_selectors.push_back(tasks.places());
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
  expected.finish(status, places_of_selectors);
  hardware.finish(status);
  co_return status;
}

}  // namespace rollcall
