#include "resolve/merge_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"

namespace rollcall {
namespace {

// What one part has of a job.
class JobPart {
 public:
  explicit JobPart(std::size_t part_number) : number(part_number) {}
  std::size_t number;
  std::vector<const Member*> members;
  int expected = 0;  // of a part that has no other job
  int places() const { return members.empty() ? 0 : members.back()->index + 1; }
  // From 0 on; or with gaps of which is known that somebody is missing there. One without members may get some, and clashes with nobody.
  bool is_dense() const {
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i]->index < static_cast<int>(i)) return false;
    }
    return places() == static_cast<int>(members.size()) || places() <= expected;
  }
};

// A job's members, part by part.
class JobParts {
 public:
  std::string job;
  std::vector<JobPart> parts;
};

std::vector<JobParts> by_job(const std::vector<ClusterStatus>& parts) {
  std::vector<JobParts> jobs;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::set<std::string_view> seen;
    const auto part_of = [&jobs, &places, &seen, i](const std::string& name) -> JobPart& {
      const auto [place, is_new] = places.try_emplace(name, jobs.size());
      if (is_new) jobs.emplace_back().job = name;
      JobParts& job = jobs[place->second];
      if (seen.insert(name).second) job.parts.emplace_back(i);
      return job.parts.back();
    };
    for (const std::string& job : parts[i].jobs) part_of(job);
    for (const Member& member : parts[i].members) part_of(member.job).members.push_back(&member);
    if (seen.size() == 1) jobs[places.at(*seen.begin())].parts.back().expected = parts[i].expected;
  }
  return jobs;
}

bool is_missing(const ClusterStatus& part) { return part.members.empty() && part.expected == 0 && part.state.standing != Standing::ready; }

}  // namespace

Result<ClusterStatus> merge_status(const std::vector<ClusterStatus>& parts, const std::vector<std::string>& names) {
  ClusterStatus all;
  bool is_number_known = false;
  bool has_members = false;
  int missing_parts = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ClusterStatus& part = parts[i];
    all.phase = std::min(all.phase, part.phase);
    if (part.state.standing > all.state.standing) {
      all.state =
          Condition(part.state.standing, part.state.text.empty() ? std::string() : fmt::format("{}: {}", names[i], part.state.text));
    }
    is_number_known = is_number_known || part.expected > 0;
    all.expected += std::max(part.expected, static_cast<int>(part.members.size()));
    has_members = has_members || !part.members.empty();
    missing_parts += is_missing(part) ? 1 : 0;
    all.notices.insert(all.notices.end(), part.notices.begin(), part.notices.end());
  }
  if (has_members && missing_parts > 0) {  // beside those that are there it must not be forgotten
    all.expected += missing_parts;
    is_number_known = true;
  }
  if (!is_number_known) all.expected = 0;
  for (const JobParts& job : by_job(parts)) {
    all.jobs.push_back(job.job);
    const bool is_dense = std::all_of(job.parts.begin(), job.parts.end(), [](const JobPart& part) { return part.is_dense(); });
    std::map<int, std::pair<const Member*, std::size_t>> taken;  // with the number of the part
    int offset = 0;
    for (const JobPart& part : job.parts) {
      for (const Member* member : part.members) {
        const int index = is_dense ? offset + member->index : member->index;
        const auto [place, is_free] = taken.try_emplace(index, member, part.number);
        if (is_free) continue;
        return Failure(Errc::conflict, fmt::format("{} and {} both have a task {} of job {}", names[place->second.second],
                                                   names[part.number], index, quoted(job.job, 80)));
      }
      offset += part.places();
    }
    for (const auto& [index, of] : taken) {
      all.members.push_back(*of.first);
      all.members.back().index = index;
    }
  }
  return all;
}

}  // namespace rollcall
