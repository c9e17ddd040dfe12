#include "whoami/task_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

// Pods of Jobs have their name without its last five characters, which are random, as their host name.
std::string_view host_of_pod(std::string_view pod) {
  constexpr std::size_t random = 6;  // with the hyphen
  const bool has_suffix = pod.size() > random && pod[pod.size() - random] == '-' &&
                          std::all_of(pod.end() - random + 1, pod.end(), [](char c) { return is_alnum(c); });
  return has_suffix ? pod.substr(0, pod.size() - random) : std::string_view();
}

bool leads(const ClusterSpec::Job& job) { return job.name == "chief" || job.name == "master"; }

}  // namespace

TaskMembers::TaskMembers(const std::vector<Member>& members) : members_(members) {
  std::map<std::string_view, int> names;
  for (const Member& member : members) ++names[member.name];
  for (const auto& [name, count] : names) {
    if (count == 1 && !name.empty()) unique_names_.insert(name);
  }
}

std::vector<std::string> TaskMembers::names_of(const ClusterSpec::Job& job, int index) const {
  std::vector<std::string> names;
  const Member* const member = find(job, index);
  if (!member || !unique_names_.contains(member->name)) return names;
  const std::string_view name = std::string_view(member->name).substr(member->name.rfind('/') + 1);
  names.emplace_back(name);
  if (const std::string_view host = host_of_pod(name); !host.empty()) names.emplace_back(host);
  return names;
}

std::size_t TaskMembers::parts_of(const ClusterSpec::Job& job) const {
  std::set<std::pair<std::string_view, int>> parts;
  for (const auto& [index, address] : job.tasks) {
    const Member* const member = find(job, index);
    if (member && member->part) parts.emplace(member->part->name, member->part->index);
  }
  return parts.size();
}

std::string part_in_words(const MemberPart& part) {
  return fmt::format("{} {}", printable(part.kind, 40), part.name.empty() ? std::to_string(part.index) : printable(part.name, 100));
}

bool has_shared_host(const ClusterSpec::Job& job) {
  std::set<HostIdentity> hosts;
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&hosts](const auto& task) {
    const Result<Endpoint> endpoint = Endpoint::parse(task.second);
    return endpoint && !hosts.emplace(endpoint->host).second;
  });
}

Result<PodSlice> read_pod_slice(const Environment& environment) {
  const Result<std::optional<int>> slices = number_variable(environment, "MEGASCALE_NUM_SLICES", 0, max_declared_count);
  if (!slices) return slices.error();
  const Result<std::optional<int>> index = number_variable(environment, "MEGASCALE_SLICE_ID", 0, max_declared_count);
  if (!index) return index.error();
  PodSlice own;
  own.slices = slices->value_or(1);
  own.index = *index;
  if (own.index && *slices && *own.index >= std::max(own.slices, 1))
    return Failure(Errc::invalid_argument, fmt::format("MEGASCALE_SLICE_ID is {}, but MEGASCALE_NUM_SLICES is {}", *own.index, own.slices));
  for (const std::string_view name : {"TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES"}) {
    const std::string list = environment.get(name).value_or("");
    if (trim(list).empty()) continue;
    own.hosts = DeclaredCount();
    own.hosts->source = name;
    own.hosts->low = own.hosts->high = static_cast<int>(std::min<std::size_t>(split(list, ',').size(), max_declared_count));
    break;
  }
  return own;
}

std::optional<DeclaredCount> count_of(const Testimony& said, const PodSlice& slice) {
  if (said.rank_name == "TPU_WORKER_ID" || (said.rank_name == "JOB_COMPLETION_INDEX" && slice.slices > 1)) return slice.hosts;
  if (!said.size) return std::nullopt;
  DeclaredCount count;
  count.source = said.size_name;
  count.low = *said.size;
  count.high = said.max_size.value_or(*said.size);
  return count;
}

std::optional<std::size_t> other_place_over_jobs(const Testimony& said, const std::vector<const ClusterSpec::Job*>& jobs,
                                                 std::size_t place) {
  if (said.rank_name != "RANK" && said.rank_name != "JAX_PROCESS_ID") return std::nullopt;
  const auto is_unranked = [](const ClusterSpec::Job* job) { return job->name == "ps" || job->name == "evaluator"; };
  if (std::any_of(jobs.begin(), jobs.end(), is_unranked)) return std::nullopt;
  std::vector<std::size_t> by_rank;  // the places in the list, leaders first
  for (const bool is_leader : {true, false}) {
    std::size_t at = 0;
    for (const ClusterSpec::Job* const job : jobs) {
      for (std::size_t i = 0; i < job->tasks.size(); ++i, ++at) {
        if (leads(*job) == is_leader) by_rank.push_back(at);
      }
    }
  }
  const auto rank = static_cast<std::size_t>(*said.rank);
  if (rank >= by_rank.size() || rank == place || by_rank[rank] == place) return std::nullopt;
  return by_rank[rank];
}

}  // namespace rollcall
