// Orders the places of a cluster's tasks, job and index, so that two lists of them can be merged. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace rollcall {

/// A run of places of one job, and its position in its list.
class Place {
 public:
  Place(std::uint32_t of_job, int from, int to, std::size_t position) : job(of_job), first(from), last(to), at(position) {}
  std::uint32_t job;  ///< number, in order of the names
  int first;
  int last;
  std::size_t at;
};

/// Numbers for the jobs of some lists.
class JobNumbers {
 public:
  JobNumbers() {}
  /// `jobs_of(i)`: the job of the i-th entry of a list. The names must not move.
  template <class JobOf>
  void add(std::size_t count, JobOf job_of) {
    std::string_view last;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view job = job_of(i);
      if (i == 0 || job != last) numbers_.try_emplace(job, 0);
      last = job;
    }
  }
  /// After the last add().
  void number() {
    std::uint32_t next = 0;
    for (auto& [name, number] : numbers_) number = next++;
  }
  std::uint32_t of(std::string_view job) const { return numbers_.at(job); }

 private:
  std::map<std::string_view, std::uint32_t> numbers_;
};

/// The places of a list, sorted; of two that overlap only the first is kept. `place_of(i, number)` creates the i-th.
template <class JobOf, class RunOf>
std::vector<Place> places_in_order(std::size_t count, const JobNumbers& jobs, JobOf job_of, RunOf run_of) {
  std::vector<Place> places;
  places.reserve(count);
  std::string_view last_job;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view job = job_of(i);
    if (i == 0 || job != last_job) number = jobs.of(job);
    last_job = job;
    const auto [first, last] = run_of(i);
    places.emplace_back(number, first, last, i);
  }
  const auto is_earlier = [](const Place& a, const Place& b) { return std::tie(a.job, a.first, a.at) < std::tie(b.job, b.first, b.at); };
  if (!std::is_sorted(places.begin(), places.end(), is_earlier)) std::sort(places.begin(), places.end(), is_earlier);
  const auto overlaps = [](const Place& a, const Place& b) { return a.job == b.job && b.first <= a.last; };
  places.erase(std::unique(places.begin(), places.end(), overlaps), places.end());
  return places;
}

/// Calls `on(first, last, other)` for each part of `one` in order: covered by `*other`, or by none (null). `at` advances through `others`
/// over successive calls with places in order.
template <class On>
void parts_of(const Place& one, const std::vector<Place>& others, std::size_t& at, On on) {
  while (at < others.size() && std::tie(others[at].job, others[at].last) < std::tie(one.job, one.first)) ++at;
  std::int64_t next = one.first;
  const Place* const none = nullptr;
  for (std::size_t i = at; i < others.size() && others[i].job == one.job && others[i].first <= one.last; ++i) {
    if (others[i].first > next) on(static_cast<int>(next), others[i].first - 1, none);
    const int last = std::min(others[i].last, one.last);
    on(static_cast<int>(std::max<std::int64_t>(next, others[i].first)), last, &others[i]);
    next = std::int64_t{last} + 1;
  }
  if (next <= one.last) on(static_cast<int>(next), one.last, none);
}

}  // namespace rollcall
