#include "resolvers/kubernetes/pod_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/order.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "cluster/place_order.hpp"
#include "resolvers/kubernetes/found_pod.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr std::array<std::string_view, 7> hopeless_reasons = {
    "ErrImagePull",     "ImagePullBackOff",     "InvalidImageName",          "ErrImageNeverPull",
    "CrashLoopBackOff", "CreateContainerError", "CreateContainerConfigError"};

bool is_permanent(std::string_view reason) {
  return std::find(hopeless_reasons.begin(), hopeless_reasons.end(), reason) != hopeless_reasons.end();
}

bool has_same_index(const FoundPod& a, const FoundPod& b) {
  return a.position.convention != PodConvention::none && a.position.convention == b.position.convention &&
         a.position.group == b.position.group && a.position.index == b.position.index;
}

std::string full_name(const FoundPod& pod) {
  return printable(pod.namespace_name.empty() ? pod.name : pod.namespace_name + "/" + pod.name, 300);
}

Member member_of(const FoundPod& pod, const std::string& job, int index, const KubernetesOptions& options) {
  Member member(job, index);
  member.name = full_name(pod);
  member.uid = printable(pod.uid, 128);
  if (pod.details) {
    member.host = pod.details->node;
    member.accelerators = pod.details->accelerators;
    std::optional<MemberPart> part = pod.details->part;
    if (part && !options.counts_parts()) part->count = 0;
    member.part = std::move(part);
  }
  if (!pod.address.empty()) member.address = Endpoint(pod.address, options.port()).to_text();
  member.state = pod_condition(pod);
  if (member.state.level == MemberState::ready && !pod.refused.empty()) member.state = Condition(MemberState::waiting, pod.refused);
  if (member.state.level == MemberState::ready && !pod.is_ready) member.health = Condition(MemberState::waiting, "Running, not Ready");
  return member;
}

}  // namespace

Condition pod_condition(const FoundPod& pod) {
  const std::string phase = pod.phase.empty() ? "without a phase" : printable(pod.phase, 64);
  std::string why = printable(pod.trouble, 128);
  if (!pod.message.empty()) why += (why.empty() ? "" : ": ") + printable(pod.message, 300);
  std::string text = why.empty() ? phase : fmt::format("{} ({})", phase, why);
  if (has_ended(pod) || is_permanent(pod.trouble)) return Condition(MemberState::lost, std::move(text));
  if (pod.phase == "Running") return Condition(MemberState::ready, {});
  return Condition(pod.trouble == "Unschedulable" ? MemberState::unschedulable : MemberState::waiting, std::move(text));
}

int FirstOrdinal::lowest(const std::string& group, int index) {
  index_ = group == group_ ? std::min(index, index_) : index;
  group_ = group;
  return index_;
}

TaskOrder::TaskOrder(const PodPointers& pods, const KubernetesOptions& options, const PodPlaces* places)
    : is_by_index_(options.order() != PodOrder::name && has_numbered_pod(pods)), places_(places) {}

// The same order as order_pods(), except for pods that have ended.
bool TaskOrder::operator()(const FoundPod* a, const FoundPod* b) const {
  if (is_by_index_) {
    const std::strong_ordering order = places_ ? places_->of(*a) <=> places_->of(*b) : compare_places(*a, *b);
    if (order != 0) return order < 0;
    if (has_ended(*a) != has_ended(*b)) return has_ended(*b);
  }
  return a->name < b->name;
}

PodTasks::PodTasks(const std::string& job, const PodPointers& pods, const TaskOrder& order, const KubernetesOptions& options, int offset,
                   FirstOrdinal& first, CommonHardware& hardware, const PodPlaces* places)
    : job_(job), hardware_(hardware), pods_(pods), options_(options), is_by_index_(order.is_by_index()),
      numbers_(places ? TaskNumbers(*places) : TaskNumbers(pods, is_by_index_)), offset_(offset) {
  if (numbers_.has_numbers() && numbers_.are_own() && pods.front()->position.convention == PodConvention::stateful_set)
    numbers_.count_from(first.lowest(pods.front()->position.group, pods.front()->position.index[1]));
}

bool PodTasks::add_to(std::vector<Member>& members, std::size_t count) {
  for (; count > 0 && next_ < pods_.size(); --count, ++next_) {
    const FoundPod& pod = *pods_[next_];
    const bool is_twin = before_ && is_by_index_ &&
                         (numbers_.are_own() ? has_same_index(*before_, pod) : numbers_.of(*before_, places_) == numbers_.of(pod, places_));
    if (is_twin) {
      if (has_ended(pod)) continue;
      members.back().state = Condition(
          MemberState::waiting, fmt::format("{} and {} both have index {}", full_name(*before_), full_name(pod), pod.position.index[1]));
      continue;
    }
    const int number = numbers_.of(pod, places_);
    members.push_back(member_of(pod, job_, saturating_sum(offset_, number), options_));
    if (pod.details) hardware_.take(*pod.details);
    places_ = saturating_sum(number, 1);
    before_ = &pod;
  }
  return next_ < pods_.size();
}

void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options, FirstOrdinal& first) {
  const TaskOrder order(pods, options);
  sort_stably(pods, order);
  CommonHardware hardware;
  PodTasks tasks(job, pods, order, options, 0, first, hardware);
  while (tasks.add_to(status.members, pods.size())) {
  }
  hardware.finish(status);
  status.expected = saturating_sum(status.expected, tasks.places());
}

}  // namespace rollcall
