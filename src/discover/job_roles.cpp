#include "discover/job_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/order.hpp"

namespace rollcall {
namespace {

using PlaceOfPod = std::pair<std::string_view, std::array<int, 2>>;

PlaceOfPod place_of(const FoundPod& pod) { return PlaceOfPod(pod.position.group, pod.position.index); }

class RoleOfPods {
 public:
  PodRole role;
  PodPointers pods;
};

// True if the role was a step that is over: at each of its places a pod has succeeded, and none is left. The roles that a kind of workload
// has by design are no steps.
bool is_over(const RoleOfPods& one) {
  if (one.role.is_of_kind || one.role.shares_ranks) return false;
  std::set<PlaceOfPod> places;
  std::set<PlaceOfPod> succeeded;
  for (const FoundPod* const pod : one.pods) {
    if (!has_ended(*pod)) return false;
    places.insert(place_of(*pod));
    if (pod->phase == "Succeeded") succeeded.insert(place_of(*pod));
  }
  return places == succeeded;
}

// The roles of a JobSet are in the order of its specification, which its jobs' indices show. Of others a chief, master or head comes first.
int order_of(const RoleOfPods& one) {
  int lowest = std::numeric_limits<int>::max();
  for (const FoundPod* const pod : one.pods) {
    if (pod->position.convention == PodConvention::jobset) lowest = std::min(lowest, pod->position.index[0]);
  }
  if (lowest < std::numeric_limits<int>::max()) return lowest;
  return is_first_role(one.role.name) ? -1 : lowest;
}

std::vector<RoleOfPods> roles_of(const PodPointers& pods) {
  std::map<std::string_view, RoleOfPods> by_name;
  for (const FoundPod* const pod : pods) {
    const PodRole& role = pod->details->role;
    RoleOfPods& one = by_name.try_emplace(role.name).first->second;
    if (one.pods.empty()) one.role = role;
    one.pods.push_back(pod);
  }
  std::vector<RoleOfPods> roles;
  for (auto& [name, one] : by_name) roles.push_back(std::move(one));
  sort_stably(roles, [](const RoleOfPods& a, const RoleOfPods& b) { return order_of(a) < order_of(b); });
  return roles;
}

std::vector<RoleOfPods> those(const std::vector<RoleOfPods>& roles, bool (*wanted)(const RoleOfPods&)) {
  std::vector<RoleOfPods> found;
  std::copy_if(roles.begin(), roles.end(), std::back_inserter(found), wanted);
  return found;
}

bool is_member_now(const RoleOfPods& one) { return !one.role.is_apart && !is_over(one); }
bool is_member(const RoleOfPods& one) { return !one.role.is_apart; }

std::string with_role(const std::string& selector, const PodRole& role) { return fmt::format("{},{}={}", selector, role.label, role.name); }

// The pods of the others are yet to be created: all that are not of these roles.
RoleJob job_to_come(std::string selector, const std::vector<RoleOfPods>& steps) {
  for (const RoleOfPods& one : steps) selector += fmt::format(",{}!={}", one.role.label, one.role.name);
  RoleJob job;
  job.name = "worker";
  job.selectors.push_back(std::move(selector));
  job.pods.emplace_back();
  return job;
}

// One job of all these roles.
RoleJob common_job(const std::string& selector, const std::vector<RoleOfPods>& members, bool names_roles) {
  RoleJob job;
  const PodRole& first = members.front().role;
  job.name = members.size() == 1 && first.is_of_kind && !first.shares_ranks ? first.name : "worker";
  if (!names_roles) {
    job.selectors.push_back(selector);
    job.pods.emplace_back();
  }
  for (const RoleOfPods& one : members) {
    if (names_roles) {
      job.selectors.push_back(with_role(selector, one.role));
      job.pods.emplace_back();
    }
    job.pods.back().insert(job.pods.back().end(), one.pods.begin(), one.pods.end());
  }
  return job;
}

}  // namespace

std::vector<RoleJob> jobs_by_role(const std::string& selector, const PodPointers& pods) {
  const std::vector<RoleOfPods> roles = roles_of(pods);
  std::vector<RoleOfPods> members = those(roles, is_member_now);
  if (members.empty()) members = those(roles, is_member);
  std::vector<RoleJob> jobs;
  if (members.empty() && !roles.front().role.is_of_kind) {
    jobs.push_back(job_to_come(selector, roles));
    return jobs;
  }
  if (members.empty()) members = roles;
  const auto all = [&members](auto is) { return std::all_of(members.begin(), members.end(), is); };
  const bool are_named = all([](const RoleOfPods& one) { return !one.role.name.empty(); });
  if (members.size() == 1 || !are_named || all([](const RoleOfPods& one) { return one.role.shares_ranks; })) {
    const bool names_roles = are_named && (members.size() < roles.size() || all([](const RoleOfPods& one) { return one.role.is_of_kind; }));
    jobs.push_back(common_job(selector, members, names_roles));
    return jobs;
  }
  for (const RoleOfPods& one : members) {
    RoleJob& job = jobs.emplace_back();
    job.name = one.role.name;
    job.selectors.push_back(with_role(selector, one.role));
    job.pods.push_back(one.pods);
  }
  return jobs;
}

}  // namespace rollcall
