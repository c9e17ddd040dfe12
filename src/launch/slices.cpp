#include "launch/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace rollcall {
namespace {

// The sizes of the slices, each taking the next tasks of `ranks`.
Result<std::vector<int>> slice_sizes(const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  std::vector<int> sizes;
  for (std::size_t at = 0; at < ranks.size();) {
    const std::string_view job = ranks[at].job;
    const auto end =
        std::find_if(ranks.begin() + static_cast<std::ptrdiff_t>(at), ranks.end(), [job](const Rank& one) { return one.job != job; });
    const int tasks = static_cast<int>(end - ranks.begin()) - static_cast<int>(at);
    const auto declared = facts.slices.find(job);
    if (declared == facts.slices.end()) {
      sizes.push_back(tasks);
    } else {
      const int sum = std::accumulate(declared->second.begin(), declared->second.end(), 0);
      if (sum != tasks || std::any_of(declared->second.begin(), declared->second.end(), [](int size) { return size < 1; })) {
        return Failure(Errc::failed_precondition,
                       fmt::format("the slices of job {} have {} tasks, and the job has {}", quoted(job, 80), sum, tasks))
            .with_hint("the cluster has changed in between: ask again");
      }
      sizes.insert(sizes.end(), declared->second.begin(), declared->second.end());
    }
    at += static_cast<std::size_t>(tasks);
  }
  return sizes;
}

// The number of a task's chips along each axis, as in Google's list of virtual machines [facts: tpu-bounds].
std::optional<std::array<int, 3>> bounds_of(int chips) {
  switch (chips) {
    case 1: return std::array<int, 3>{1, 1, 1};
    case 2: return std::array<int, 3>{1, 2, 1};
    case 4: return std::array<int, 3>{2, 2, 1};
    case 8: return std::array<int, 3>{2, 4, 1};
    default: return std::nullopt;
  }
}

std::string with_number(int number, std::string_view what) { return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s"); }

}  // namespace

Result<OwnSlice> own_slice(const LaunchFacts& facts) {
  Result<std::vector<Rank>> ranks = ranks_of(facts, RankScope::part);
  if (!ranks) return ranks.error();
  const Result<Rank> own = own_rank(*ranks, facts);
  if (!own) return own.error();
  const Result<std::vector<int>> sizes = slice_sizes(*ranks, facts);
  if (!sizes) return sizes.error();
  OwnSlice found;
  auto begin = ranks->begin();
  for (const int size : *sizes) {
    const auto end = begin + size;
    const int number = static_cast<int>(found.all.job_list().size());
    std::vector<std::string> addresses;
    for (auto one = begin; one != end; ++one) addresses.push_back(one->endpoint.to_text());
    found.all.set_job(std::to_string(number), std::move(addresses));
    if (own->rank >= begin->rank && own->rank < begin->rank + size) {
      found.tasks.assign(begin, end);
      found.worker = own->rank - begin->rank;
      found.number = number;
    }
    begin = end;
  }
  found.ranks = std::move(*ranks);
  return found;
}

Result<SliceShape> shape_of(const OwnSlice& slice, const LaunchFacts& facts) {
  if (!facts.accelerator_type) {
    return Failure(Errc::failed_precondition, "it is not known of which type the TPU is")
        .with_hint("say so: --accelerator-type v5litepod-16");
  }
  SliceShape shape;
  std::map<int, int> tasks;  // for each host
  for (const Rank& one : slice.tasks) ++tasks[one.host];
  const int all = static_cast<int>(slice.tasks.size());
  shape.hosts = static_cast<int>(tasks.size());
  const AcceleratorType& given = *facts.accelerator_type;
  Result<AcceleratorType> type = given.on_hosts(shape.hosts);
  if (!type) {
    return Failure(Errc::failed_precondition,
                   fmt::format("{} has {}, and slice {} has {} at {}", given.name(), with_number(given.hosts(), "host"), slice.number,
                               with_number(all, "task"), with_number(shape.hosts, "host")))
        .with_hint("--accelerator-type says the type of one slice; slices are jobs: see docs/launch.md");
  }
  shape.type = *std::move(type);
  shape.tasks_per_host = all / shape.hosts;
  for (int i = 0; i < all; ++i) {
    const Rank& one = slice.tasks[static_cast<std::size_t>(i)];
    if (tasks[one.host] != shape.tasks_per_host) {
      return Failure(Errc::failed_precondition,
                     fmt::format("{} has {} of the {} at {} of slice {}: it must be as many at each", one.endpoint.host, tasks[one.host],
                                 with_number(all, "task"), with_number(shape.hosts, "host"), slice.number));
    }
    if (one.host == slice.tasks[static_cast<std::size_t>(i - i % shape.tasks_per_host)].host) continue;
    return Failure(Errc::failed_precondition,
                   fmt::format("the tasks at {} do not follow each other: workers are numbered host by host", one.endpoint.host));
  }
  shape.local = slice.worker % shape.tasks_per_host;
  const int chips = shape.type.chips_per_host();
  const std::optional<std::array<int, 3>> bounds =
      shape.tasks_per_host == 1 ? shape.type.chips_per_host_bounds().extent() : bounds_of(chips / shape.tasks_per_host);
  bool fits = bounds && chips % shape.tasks_per_host == 0;
  for (std::size_t axis = 0; fits && axis < 3; ++axis) {
    const int extent = shape.type.topology().extent()[axis];
    fits = extent % (*bounds)[axis] == 0;
    shape.chips[axis] = (*bounds)[axis];
    shape.grid[axis] = extent / (*bounds)[axis];
  }
  if (!fits) {
    return Failure(Errc::failed_precondition, fmt::format("a host of {} has {}: {} cannot share them", shape.type.name(),
                                                          with_number(chips, "chip"), with_number(shape.tasks_per_host, "task")));
  }
  return shape;
}

std::string bounds_text(const std::array<int, 3>& extent) { return fmt::format("{},{},{}", extent[0], extent[1], extent[2]); }

}  // namespace rollcall
