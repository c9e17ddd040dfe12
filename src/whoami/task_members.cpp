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

}  // namespace rollcall
