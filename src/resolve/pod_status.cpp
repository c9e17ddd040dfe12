#include "resolve/pod_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/natural_order.hpp"
#include "core/text.hpp"
#include "resolve/pod_order.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr std::array<std::string_view, 7> hopeless_reasons = {
    "ErrImagePull",     "ImagePullBackOff",     "InvalidImageName",          "ErrImageNeverPull",
    "CrashLoopBackOff", "CreateContainerError", "CreateContainerConfigError"};

bool is_hopeless(std::string_view reason) {
  return std::find(hopeless_reasons.begin(), hopeless_reasons.end(), reason) != hopeless_reasons.end();
}

bool has_same_index(const FoundPod& a, const FoundPod& b) {
  return a.position.convention != PodConvention::none && a.position.convention == b.position.convention &&
         a.position.group == b.position.group && a.position.index == b.position.index;
}

// As order_pods() sorts, but for pods that have ended, which come after those that have not.
bool stands_before(const FoundPod* a, const FoundPod* b, bool by_index) {
  if (by_index) {
    if (a->position.group != b->position.group) return natural_order(a->position.group, b->position.group) < 0;
    if (a->position.index != b->position.index) return a->position.index < b->position.index;
    if (has_ended(*a) != has_ended(*b)) return has_ended(*b);
  }
  return std::tie(a->name, a->name_space) < std::tie(b->name, b->name_space);
}

bool are_all_numbered(const PodPointers& pods) {
  return !pods.empty() && std::all_of(pods.begin(), pods.end(), [&pods](const FoundPod* pod) {
    return pod->position.convention != PodConvention::none && pod->position.convention == pods.front()->position.convention;
  });
}

// One workload whose pods have one number each: then the number says which task a pod is.
bool numbers_are_tasks(const PodPointers& pods) {
  return std::all_of(pods.begin(), pods.end(), [&pods](const FoundPod* pod) {
    return pod->position.group == pods.front()->position.group && pod->position.index[0] == pods.front()->position.index[0];
  });
}

std::string full_name(const FoundPod& pod) { return printable(pod.name_space.empty() ? pod.name : pod.name_space + "/" + pod.name, 300); }

Member member_of(const FoundPod& pod, const std::string& job, int index, const KubernetesOptions& options) {
  Member member(job, index);
  member.name = full_name(pod);
  member.uid = printable(pod.uid, 128);
  if (!pod.address.empty()) member.address = Endpoint(pod.address, options.tf_server_port()).to_text();
  member.state = pod_condition(pod);
  if (member.state.standing == Standing::ready && !pod.is_ready) member.health = Condition(Standing::waiting, "Running, not Ready");
  return member;
}

}  // namespace

Condition pod_condition(const FoundPod& pod) {
  const std::string phase = pod.phase.empty() ? "without a phase" : printable(pod.phase, 64);
  std::string why = printable(pod.trouble, 128);
  if (!pod.message.empty()) why += (why.empty() ? "" : ": ") + printable(pod.message, 300);
  std::string text = why.empty() ? phase : fmt::format("{} ({})", phase, why);
  if (has_ended(pod) || is_hopeless(pod.trouble)) return Condition(Standing::lost, std::move(text));
  if (pod.phase == "Running") return Condition(Standing::ready, {});
  return Condition(pod.trouble == "Unschedulable" ? Standing::unschedulable : Standing::waiting, std::move(text));
}

int FirstOrdinal::lowest(const std::string& group, int index) {
  index_ = group == group_ ? std::min(index, index_) : index;
  group_ = group;
  return index_;
}

void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options, FirstOrdinal& first) {
  const bool by_index = options.order() != PodOrder::name && are_all_numbered(pods);
  std::sort(pods.begin(), pods.end(), [by_index](const FoundPod* a, const FoundPod* b) { return stands_before(a, b, by_index); });
  const bool has_numbers = by_index && numbers_are_tasks(pods);
  int zero = 0;  // the number of task 0
  if (has_numbers && pods.front()->position.convention == PodConvention::stateful_set)
    zero = first.lowest(pods.front()->position.group, pods.front()->position.index[1]);
  const std::size_t start = status.members.size();
  const FoundPod* before = nullptr;
  for (const FoundPod* const pod : pods) {
    if (by_index && before && has_same_index(*before, *pod)) {
      if (has_ended(*pod)) continue;
      status.members.back().state = Condition(
          Standing::waiting, fmt::format("{} and {} both have index {}", full_name(*before), full_name(*pod), pod->position.index[1]));
      continue;
    }
    const int index = has_numbers ? pod->position.index[1] - zero : static_cast<int>(status.members.size() - start);
    status.members.push_back(member_of(*pod, job, index, options));
    before = pod;
  }
  const std::size_t count = status.members.size() - start;
  const std::size_t places = has_numbers && count > 0 ? static_cast<std::size_t>(status.members.back().index) + 1 : count;
  status.expected += static_cast<int>(std::min<std::size_t>(places, 1'000'000));
}

}  // namespace rollcall
