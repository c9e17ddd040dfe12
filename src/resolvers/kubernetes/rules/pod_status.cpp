#include "resolvers/kubernetes/rules/pod_status.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/order.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "cluster/place_order.hpp"
#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/rules/pod_causes.hpp"
#include "resolvers/kubernetes/rules/replaced_pods.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

bool has_same_index(const FoundPod& a, const FoundPod& b) {
  return a.position.convention != PodConvention::none && a.position.convention == b.position.convention &&
         a.position.group == b.position.group && a.position.index == b.position.index;
}

std::string full_name(const FoundPod& pod) {
  return printable(pod.namespace_name.empty() ? pod.name : pod.namespace_name + "/" + pod.name, 300);
}

Member member_of(const FoundPod& pod, const std::string& job, int index, const KubernetesOptions& options, PodClock& clock) {
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
  judge_member(member, pod, clock);
  if (member.state.level == MemberState::ready && !pod.refused.empty()) member.state = Condition(MemberState::waiting, pod.refused);
  if (member.state.level == MemberState::ready && pod.address.empty() && !pod.other_address.empty())
    member.state = Condition(MemberState::waiting, other_family_text(pod, options));
  return member;
}

}  // namespace

void judge_member(Member& member, const FoundPod& pod, PodClock& clock) {
  PodWhy why = pod_why(pod, clock.now);
  clock.note(why.changes_at);
  const MemberState level = has_ended(pod) || why.is_final() ? MemberState::lost : MemberState::waiting;
  if (is_leaving(pod)) {
    member.state = Condition(level, pod_text(pod, why));
  } else if (pod.phase != "Running") {
    const bool has_no_room = !why.causes.empty() && why.causes.back().code == "Unschedulable" && pod.state->nominated_node.empty();
    member.state = Condition(level == MemberState::waiting && has_no_room ? MemberState::unschedulable : level, pod_text(pod, why));
  } else if (!pod.is_ready) {
    // That a probe of the only container has not succeeded is no news.
    const bool is_plain =
        why.summary.empty() || (why.causes.back().layer == CauseLayer::readiness && why.causes.back().code == "ContainersNotReady");
    member.health = Condition(level, is_plain ? "Running, not Ready" : fmt::format("Running, not Ready ({})", why.summary));
  }
  member.causes = std::move(why.causes);
}

int FirstOrdinal::lowest(const std::string& group, int index) {
  index_ = group == group_ ? std::min(index, index_) : index;
  group_ = group;
  return index_;
}

TaskOrder::TaskOrder(const KubernetesOptions& options, const PodPlaces* places)
    : is_by_index_(options.order() != PodOrder::name), places_(places) {}

// The same order as order_pods().
bool TaskOrder::operator()(const FoundPod* a, const FoundPod* b) const {
  if (is_by_index_) {
    const std::strong_ordering order = places_ ? places_->of(*a) <=> places_->of(*b) : compare_places(*a, *b);
    if (order != 0) return order < 0;
  }
  return a->name < b->name;
}

PodTasks::PodTasks(const std::string& job, const PodPointers& pods, const TaskOrder& order, const KubernetesOptions& options, int offset,
                   FirstOrdinal& first, CommonHardware& hardware, PodClock& clock, const PodPlaces* places)
    : job_(job), hardware_(hardware), clock_(clock), pods_(pods), options_(options), is_by_index_(order.is_by_index()),
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
      members.back().state = Condition(
          MemberState::waiting, fmt::format("{} and {} both have index {}", full_name(*before_), full_name(pod), pod.position.index[1]));
      continue;
    }
    const int number = numbers_.of(pod, places_);
    members.push_back(member_of(pod, job_, saturating_sum(offset_, number), options_, clock_));
    if (pod.details) hardware_.take(*pod.details);
    places_ = saturating_sum(number, 1);
    before_ = &pod;
  }
  return next_ < pods_.size();
}

void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options, FirstOrdinal& first,
              PodClock& clock) {
  drop_replaced(pods);
  const TaskOrder order(options);
  sort_stably(pods, order);
  CommonHardware hardware;
  PodTasks tasks(job, pods, order, options, 0, first, hardware, clock);
  while (tasks.add_to(status.members, pods.size())) {
  }
  hardware.finish(status);
  status.expected = saturating_sum(status.expected, tasks.places());
}

}  // namespace rollcall
