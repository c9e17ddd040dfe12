#include "resolve/merge_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"

namespace rollcall {
namespace {

// A job's members, part by part.
class JobParts {
 public:
  std::string job;
  std::vector<std::vector<const Member*>> parts;
};

bool is_dense_part(const std::vector<const Member*>& members) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i]->index != static_cast<int>(i)) return false;
  }
  return !members.empty();
}

std::vector<JobParts> by_job(const std::vector<ClusterStatus>& parts) {
  std::vector<JobParts> jobs;
  std::map<std::string_view, std::size_t> places;
  for (const ClusterStatus& part : parts) {
    std::set<std::string_view> seen;
    for (const Member& member : part.members) {
      const auto [place, is_new] = places.try_emplace(member.job, jobs.size());
      if (is_new) jobs.emplace_back().job = member.job;
      JobParts& job = jobs[place->second];
      if (seen.insert(member.job).second) job.parts.emplace_back();
      job.parts.back().push_back(&member);
    }
  }
  return jobs;
}

}  // namespace

Result<ClusterStatus> merge_status(const std::vector<ClusterStatus>& parts, const std::vector<std::string>& names) {
  ClusterStatus all;
  bool is_number_known = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ClusterStatus& part = parts[i];
    all.phase = std::min(all.phase, part.phase);
    if (part.state.standing > all.state.standing) {
      all.state =
          Condition(part.state.standing, part.state.text.empty() ? std::string() : fmt::format("{}: {}", names[i], part.state.text));
    }
    is_number_known = is_number_known || part.expected > 0;
    all.expected += std::max(part.expected, static_cast<int>(part.members.size()));
    all.notices.insert(all.notices.end(), part.notices.begin(), part.notices.end());
  }
  if (!is_number_known) all.expected = 0;
  for (const JobParts& job : by_job(parts)) {
    const bool is_dense = std::all_of(job.parts.begin(), job.parts.end(), is_dense_part);
    std::map<int, const Member*> taken;
    int offset = 0;
    for (const std::vector<const Member*>& members : job.parts) {
      for (const Member* member : members) {
        const int index = is_dense ? offset + member->index : member->index;
        if (!taken.emplace(index, member).second) {
          return Failure(Errc::conflict, fmt::format("two clusters have a task {} of job {}", index, quoted(job.job, 80)));
        }
      }
      offset += static_cast<int>(members.size());
    }
    for (const auto& [index, member] : taken) {
      all.members.push_back(*member);
      all.members.back().index = index;
    }
  }
  return all;
}

}  // namespace rollcall
