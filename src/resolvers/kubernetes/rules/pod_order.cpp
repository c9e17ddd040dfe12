#include "resolvers/kubernetes/rules/found_pod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <utility>

#include "base/order.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/rules/pod_places.hpp"

namespace rollcall {
namespace {

bool is_numbered(const FoundPod* pod) { return pod->position.convention != PodConvention::none; }

bool has_one_group(const PodPointers& pods) {
  return std::all_of(pods.begin(), pods.end(),
                     [&pods](const FoundPod* pod) { return is_numbered(pod) && pod->position.group == pods.front()->position.group; });
}

bool has_lower_index(const FoundPod* a, const FoundPod* b) {
  const std::strong_ordering order = a->position.index <=> b->position.index;
  return order != 0 ? order < 0 : a->name < b->name;
}

bool is_earlier_place(const FoundPod* a, const FoundPod* b) { return compare_places(*a, *b) < 0; }

bool is_same_place(const FoundPod* a, const FoundPod* b) {
  return is_numbered(a) && is_numbered(b) && a->position.index == b->position.index && a->position.group == b->position.group;
}

Failure both_claim(const FoundPod& a, const FoundPod& b) {
  return Failure(Errc::conflict, fmt::format("pods {} and {} have the same index {} of one {}", shown_pod(a), shown_pod(b),
                                             a.position.index[1], to_string(a.position.convention)))
      .with_hint("delete the one that is left over, narrow the selector, or ask for the order by name");
}

// `namespace/workload/` of `namespace/workload/0master`.
std::string_view workload_of(const std::string& group) { return std::string_view(group).substr(0, group.rfind('/') + 1); }

// `namespace/workload`, and the part behind it, which may be empty.
std::pair<std::string_view, std::string_view> split_group(std::string_view group) {
  const std::size_t end = group.find('/', group.find('/') + 1);
  if (end == std::string_view::npos) return {group, {}};
  return {group.substr(0, end), group.substr(end + 1)};
}

// The number of masters, if the pods are those of a master and then those of another role of the same workload; else 0.
int count_leaders(const PodPointers& pods) {
  const PodPosition& first = pods.front()->position;
  const PodPosition& last = pods.back()->position;
  const bool has_roles = first.convention == PodConvention::kubeflow || first.convention == PodConvention::volcano;
  const bool is_pair = has_roles && first.group != last.group && first.group[workload_of(first.group).size()] == '0' &&
                       workload_of(first.group) == workload_of(last.group);
  if (!is_pair) return 0;
  int highest = 0;
  for (const FoundPod* const pod : pods) {
    if (!is_numbered(pod)) return 0;
    if (pod->position.group == first.group) {
      highest = std::max(highest, pod->position.index[1]);
    } else if (pod->position.group != last.group) {
      return 0;
    }
  }
  return saturating_sum(highest, 1);
}

// All must have an index by the same convention.
Result<void> check_numbered(const PodPointers& pods) {
  const auto stranger = std::find_if(pods.begin(), pods.end(), [&pods](const FoundPod* pod) {
    return !is_numbered(pod) || pod->position.convention != pods.front()->position.convention;
  });
  if (stranger == pods.end()) return {};
  return Failure(Errc::failed_precondition,
                 !is_numbered(*stranger) ? fmt::format("pod {} has no label that says which index it has", shown_pod(**stranger))
                                         : fmt::format("pod {} is numbered by its {}, pod {} by its {}: their indices have no common order",
                                                       shown_pod(*pods.front()), to_string(pods.front()->position.convention),
                                                       shown_pod(**stranger), to_string((*stranger)->position.convention)))
      .with_hint("narrow the selector, or ask for the order by name");
}

// Within a run of pods that differ only in their last index, that index must count from 0. A StatefulSet may start at any number
// (spec.ordinals.start), which no label gives.
Result<void> check_gapless(const PodPointers& pods) {
  int expected = 0;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const PodPosition& here = pods[i]->position;
    const bool is_new_run = i == 0 || here.group != pods[i - 1]->position.group || here.index[0] != pods[i - 1]->position.index[0];
    if (is_new_run) expected = here.convention == PodConvention::stateful_set ? here.index[1] : 0;
    if (here.index[1] != expected++) {
      return Failure(Errc::not_ready, fmt::format("no pod has index {} of the {} that {} belongs to", expected - 1,
                                                  to_string(here.convention), shown_pod(*pods[i])))
          .with_hint("wait until it is there; if it is left out on purpose, ask for another order");
    }
  }
  return {};
}

}  // namespace

// Workloads are in the natural order of their names. Most comparisons are within one workload, hence the test for equality first.
std::strong_ordering compare_places(const FoundPod& a, const FoundPod& b) {
  if (is_numbered(&a) != is_numbered(&b)) return is_numbered(&a) ? std::strong_ordering::less : std::strong_ordering::greater;
  if (!is_numbered(&a)) return natural_order(a.name, b.name);
  if (a.position.group == b.position.group) return a.position.index <=> b.position.index;
  const auto [workload, part] = split_group(a.position.group);
  const auto [other_workload, other_part] = split_group(b.position.group);
  if (workload != other_workload) return natural_order(a.position.group, b.position.group);
  // A launcher, master or head comes first, also where the others have no role.
  constexpr std::string_view no_part = "1";
  return natural_order(part.empty() ? no_part : part, other_part.empty() ? no_part : other_part);
}

TaskNumbers::TaskNumbers(const PodPointers& pods, bool is_by_index) {
  if (!is_by_index || pods.empty()) return;
  const PodPosition& first = pods.front()->position;
  if (const int leaders = count_leaders(pods); leaders > 0) {
    has_numbers_ = true;
    leads_ = &first.group;
    leaders_ = leaders;
    return;
  }
  if (!has_one_group(pods)) return;
  has_numbers_ = std::all_of(pods.begin(), pods.end(), [&first](const FoundPod* pod) { return pod->position.index[0] == first.index[0]; });
  if (has_numbers_ && first.convention == PodConvention::stateful_set) zero_ = first.index[1];
  if (!has_numbers_) take_parts(pods);
}

// The Jobs of one replicated job have equally many pods, and so have groups. Without that many pods nothing is said of gaps.
void TaskNumbers::take_parts(const PodPointers& pods) {
  const PodPosition& first = pods.front()->position;
  const bool has_parts = (first.convention == PodConvention::jobset || first.convention == PodConvention::leader_worker_set) &&
                         std::all_of(pods.begin(), pods.end(), [&first](const FoundPod* pod) {
                           return pod->position.convention == first.convention && pod->position.role_start == first.role_start;
                         });
  if (!has_parts) return;
  for (const FoundPod* const pod : pods) {
    parts_.push_back(pod->position.index[0]);
    indices_.push_back(pod->position.index[1]);
  }
  for (std::vector<int>* const numbers : {&parts_, &indices_}) {
    std::sort(numbers->begin(), numbers->end());
    numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  }
  has_numbers_ = parts_.size() <= 4 * pods.size() / indices_.size();
  if (!has_numbers_) parts_.clear();
}

int TaskNumbers::place_in_parts(const std::array<int, 2>& index) const {
  const auto place = [](const std::vector<int>& numbers, int number) {
    return static_cast<int>(std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin());
  };
  return place(parts_, index[0]) * static_cast<int>(indices_.size()) + place(indices_, index[1]);
}

int TaskNumbers::of(const FoundPod& pod, int places) const {
  if (by_places_) return by_places_->of(pod).value_or(places);
  if (!has_numbers_) return places;
  if (!parts_.empty()) return place_in_parts(pod.position.index);
  const bool leads = leads_ && pod.position.group == *leads_;
  return leads ? pod.position.index[1] : saturating_sum(pod.position.index[1] - zero_, leaders_);
}

Result<void> order_pods(PodPointers& pods, PodOrder order) {
  if (order == PodOrder::name) return {};
  if (order == PodOrder::index) {
    const Result<void> numbered = check_numbered(pods);
    if (!numbered) return numbered;
  }
  if (has_one_group(pods)) {
    if (!std::is_sorted(pods.begin(), pods.end(), has_lower_index)) std::sort(pods.begin(), pods.end(), has_lower_index);
  } else if (!std::is_sorted(pods.begin(), pods.end(), is_earlier_place)) {
    sort_stably(pods, is_earlier_place);
  }
  const auto twins = std::adjacent_find(pods.begin(), pods.end(), is_same_place);
  if (twins != pods.end()) return both_claim(**twins, **(twins + 1));
  return order == PodOrder::index ? check_gapless(pods) : Result<void>();
}

}  // namespace rollcall
