#include "whoami/slurm_jobs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view decimal_digits = "0123456789";
constexpr std::size_t max_shown_jobs = 4;
constexpr std::size_t max_job_components = 128;  // as Slurm

// A member of a Slurm job has its number and its restarts as uid: 4711.0. Empty: it is none.
std::string slurm_job_of_uid(std::string_view uid) {
  const std::size_t dot = uid.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == uid.size()) return {};
  const bool is_it = uid.substr(0, dot).find_first_not_of(decimal_digits) == std::string_view::npos &&
                     uid.substr(dot + 1).find_first_not_of(decimal_digits) == std::string_view::npos;
  return is_it ? std::string(uid.substr(0, dot)) : std::string();
}

bool has_host(const std::vector<Member>& members, std::string_view node) {
  return std::any_of(members.begin(), members.end(), [node](const Member& one) { return equals_ignoring_case(one.host, node); });
}

// Empty: nothing speaks against it.
std::string why_outside_of(const std::vector<std::string>& jobs, const std::vector<Member>& members, const Environment& environment) {
  std::string own = environment.get("SLURM_JOB_ID").value_or("");
  if (own.empty()) own = environment.get("SLURM_JOBID").value_or("");
  if (own.empty()) return {};
  bool is_in = std::find(jobs.begin(), jobs.end(), own) != jobs.end();
  const std::optional<int> components = parse_decimal<int>(environment.get("SLURM_HET_SIZE").value_or(""), 0, int{max_job_components});
  for (int i = 0; i < components.value_or(0); ++i) {
    const std::string one = environment.get(fmt::format("SLURM_JOB_ID_HET_GROUP_{}", i)).value_or("");
    is_in = is_in || (!one.empty() && std::find(jobs.begin(), jobs.end(), one) != jobs.end());
  }
  std::string words = "job " + jobs.front();
  const auto shown = static_cast<std::ptrdiff_t>(std::min(jobs.size(), max_shown_jobs));
  if (jobs.size() > 1) words = fmt::format("jobs {}", fmt::join(jobs.begin(), jobs.begin() + shown, ", "));
  if (jobs.size() > max_shown_jobs) words += " …";
  if (!is_in) return fmt::format("this process is in Slurm job {} (SLURM_JOB_ID), not in {}", printable(own, 40), words);
  const std::string node = environment.get("SLURMD_NODENAME").value_or("");
  if (node.empty() || has_host(members, node)) return {};
  return fmt::format("this process runs on {} (SLURMD_NODENAME), which is no node of {}: another component, or a job of another cluster?",
                     printable(node, 80), words);
}

}  // namespace

std::vector<std::string> slurm_jobs_of(const std::vector<Member>& members) {
  std::vector<std::string> jobs;
  for (const Member& member : members) {
    std::string job = slurm_job_of_uid(member.uid);
    if (job.empty() || jobs.size() > max_job_components) return {};
    const bool is_new = jobs.empty() || (jobs.back() != job && std::find(jobs.begin(), jobs.end(), job) == jobs.end());
    if (is_new) jobs.push_back(std::move(job));
  }
  return jobs;
}

SlurmMembership slurm_membership(const std::vector<Member>& members, const Environment& environment) {
  SlurmMembership membership;
  const std::vector<std::string> jobs = slurm_jobs_of(members);
  if (jobs.empty()) return membership;
  membership.outside = why_outside_of(jobs, members, environment);
  membership.way_in = fmt::format("start it in the job: srun --jobid={} --ntasks-per-node=1", jobs.front());
  return membership;
}

}  // namespace rollcall
