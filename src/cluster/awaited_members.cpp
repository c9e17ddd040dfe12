#include "cluster/awaited_members.hpp"

#include <iterator>
#include <utility>

namespace rollcall {
namespace {

constexpr std::size_t max_runs = 65536;

}  // namespace

void AwaitedMembers::set(const MemberRange& members, bool is_ready) {
  if (members.job.empty()) return;
  auto job = jobs_.find(members.job);
  if (job == jobs_.end()) {
    if (runs_ >= max_runs) return;
    job = jobs_.try_emplace(std::string(members.job)).first;
  }
  cut_out(job->second, members.first, members.last);
  add(job->second, members.first, Run(members.last, is_ready));
}

void AwaitedMembers::cut_out(Runs& runs, int first, int last) {
  auto run = runs.upper_bound(first);
  if (run != runs.begin() && std::prev(run)->second.last >= first) --run;
  while (run != runs.end() && run->first <= last) {
    const auto [start, cut] = *run;
    run = runs.erase(run);
    --runs_;
    if (start < first) {
      runs.try_emplace(start, first - 1, cut.is_ready);
      ++runs_;
    }
    if (cut.last > last) {
      runs.try_emplace(last + 1, cut.last, cut.is_ready);
      ++runs_;
      return;
    }
  }
}

// A run together with its neighbours of the same kind.
void AwaitedMembers::add(Runs& runs, int first, Run run) {
  auto next = runs.upper_bound(first);
  if (next != runs.end() && next->first - 1 == run.last && next->second.is_ready == run.is_ready) {
    run.last = next->second.last;
    next = runs.erase(next);
    --runs_;
  }
  if (next != runs.begin()) {
    Run& before = std::prev(next)->second;
    if (before.last == first - 1 && before.is_ready == run.is_ready) {
      before.last = run.last;
      return;
    }
  }
  if (runs_ >= max_runs) return;
  runs.try_emplace(first, run);
  ++runs_;
}

std::int64_t AwaitedMembers::count(bool is_ready) const noexcept {
  std::int64_t count = 0;
  for (const auto& [job, runs] : jobs_) {
    for (const auto& [first, run] : runs) count += run.is_ready == is_ready ? std::int64_t{run.last} - first + 1 : 0;
  }
  return count;
}

}  // namespace rollcall
