// Finds the hosts of a SageMaker job among which the current host's program is distributed. A job may have instance groups, which run
// different programs or parts of one: SM_DISTRIBUTION_INSTANCE_GROUPS lists those of one distribution. [facts: sagemaker-groups]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/launchers/wire/sagemaker.hpp"

namespace rollcall {
namespace {

constexpr const char* sagemaker_job = "worker";

bool is_in(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string shown_names(const std::vector<std::string>& names) {
  return names.empty() ? "it lists none" : printable(fmt::format("{}", fmt::join(names, ", ")), 200);
}

const SageMakerGroup* find_group(const SageMakerJob& job, std::string_view name) {
  const auto at = std::find_if(job.groups.begin(), job.groups.end(), [name](const SageMakerGroup& group) { return group.name == name; });
  return at == job.groups.end() ? nullptr : &*at;
}

std::vector<std::string> all_groups(const SageMakerJob& job) {
  std::vector<std::string> names = job.group_names;
  for (const SageMakerGroup& group : job.groups) {
    if (!is_in(names, group.name)) names.push_back(group.name);
  }
  return names;
}

// The group that is called the current host's, else the one that lists it.
Result<std::string> own_group(const SageMakerJob& job, const std::vector<std::string>& names) {
  if (!job.current_group.empty()) return job.current_group;
  const auto at =
      std::find_if(job.groups.begin(), job.groups.end(), [&job](const SageMakerGroup& g) { return is_in(g.hosts, job.current); });
  if (at != job.groups.end()) return at->name;
  return Failure(Errc::failed_precondition, fmt::format("the job has the instance groups {}, and none of them is known to have {} ({})",
                                                        shown_names(names), quoted(job.current, 80), job.current_source));
}

Result<SageMakerHosts> hosts_of_groups(const SageMakerJob& job, const std::vector<std::string>& names) {
  const Result<std::string> own = own_group(job, names);
  if (!own) return own.error();
  std::vector<std::string> chosen(1, *own);
  const SageMakerGroup* const own_type = find_group(job, *own);
  if (is_in(job.distribution, *own)) chosen = job.distribution;
  SageMakerHosts result;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::string& name = chosen[i];
    if (std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(i), name) - chosen.begin() < static_cast<std::ptrdiff_t>(i))
      return Failure(Errc::invalid_argument, fmt::format("SM_DISTRIBUTION_INSTANCE_GROUPS names {} twice", quoted(name, 80)));
    const SageMakerGroup* const group = find_group(job, name);
    if (!group) {
      return Failure(Errc::failed_precondition, fmt::format("the job has the instance groups {}, and the hosts of {} are not known",
                                                            shown_names(names), quoted(name, 80)))
          .with_hint("SM_INSTANCE_GROUPS_DICT lists the hosts of each group");
    }
    if (name == *own && !is_in(group->hosts, job.current)) {
      return Failure(Errc::conflict, fmt::format("{} is {}, and its instance group {} has other hosts: {}", job.current_source,
                                                 quoted(job.current, 80), quoted(name, 80), shown_names(group->hosts)));
    }
    if (name == *own) result.job = result.jobs.size();
    const bool is_alike = !group->instance_type.empty() && own_type && group->instance_type == own_type->instance_type;
    result.is_uniform = result.is_uniform && (chosen.size() == 1 || is_alike);
    result.jobs.push_back(*group);
  }
  std::string others;
  for (const std::string& name : names) {
    if (!is_in(chosen, name)) others += (others.empty() ? "" : ", ") + printable(name, 80);
  }
  if (!others.empty()) {
    result.left_out = fmt::format("the instance group{} {}: the cluster has the hosts of {}, this host's",
                                  others.find(',') == std::string::npos ? "" : "s", printable(others, 400), shown_names(chosen));
  }
  if (chosen.size() == 1) result.jobs.front().name = sagemaker_job;
  return result;
}

Result<SageMakerHosts> unsorted_hosts(const SageMakerJob& job) {
  const std::vector<std::string> names = all_groups(job);
  if (names.size() > 1) return hosts_of_groups(job, names);
  SageMakerHosts result;
  if (!job.hosts.empty()) result.jobs.push_back({.name = sagemaker_job, .instance_type = "", .hosts = job.hosts});
  return result;
}

}  // namespace

Result<SageMakerHosts> hosts_of_sagemaker(const SageMakerJob& job) {
  if (job.hosts.empty() && job.current.empty()) return SageMakerHosts();
  if (!is_in(job.hosts, job.current)) {
    SageMakerHosts none;
    none.unlisted =
        fmt::format("{} is {}, which is not among {}: {}", job.current_source, quoted(job.current, 80), job.source, shown_names(job.hosts));
    return none;
  }
  Result<SageMakerHosts> result = unsorted_hosts(job);
  if (!result) return result;
  std::vector<std::string> all = job.hosts;
  std::sort(all.begin(), all.end());
  for (SageMakerGroup& one : result->jobs) {
    std::sort(one.hosts.begin(), one.hosts.end());
    const auto is_foreign = [&all](const std::string& host) { return !std::binary_search(all.begin(), all.end(), host); };
    const auto foreign = std::find_if(one.hosts.begin(), one.hosts.end(), is_foreign);
    if (foreign == one.hosts.end()) continue;
    return Failure(Errc::conflict, fmt::format("{} is a host of an instance group, and not among {}: {}", quoted(*foreign, 80), job.source,
                                               shown_names(job.hosts)));
  }
  const std::vector<std::string>& own = result->jobs[result->job].hosts;
  result->index = static_cast<int>(std::find(own.begin(), own.end(), job.current) - own.begin());
  return result;
}

}  // namespace rollcall
