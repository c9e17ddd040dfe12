#include "resolvers/kubernetes/rules/replaced_pods.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/saturating.hpp"
#include "resolvers/kubernetes/rules/pod_causes.hpp"

namespace rollcall {
namespace {

// The clocks of a node and of the API server differ a little, and dates are in whole seconds.
constexpr Duration clock_tolerance = std::chrono::seconds(2);

using PlaceKey = std::tuple<PodConvention, std::string_view, std::array<int, 2>>;
using ControllerKey = std::tuple<std::string_view, std::string_view, std::string_view>;

bool has_place(const FoundPod& pod) { return pod.position.convention != PodConvention::none; }
PlaceKey numbered_place(const FoundPod& pod) { return {pod.position.convention, pod.position.group, pod.position.index}; }
// The name serves where a server gives no uid.
ControllerKey controller_key(const FoundPod& pod) { return {pod.owner->uid, pod.owner->kind, pod.owner->name}; }

std::optional<WallTime> end_of(const FoundPod& pod) {
  if (!pod.state) return pod.created;
  if (pod.state->last_end) return pod.state->last_end;
  const PodCondition* const ready = pod.state->condition("Ready");
  return ready && ready->since ? ready->since : pod.created;
}

// True if `a` stays of two pods with one place.
bool is_better(const FoundPod& a, const FoundPod& b) {
  if (has_ended(a) != has_ended(b)) return has_ended(b);
  if ((a.phase == "Succeeded") != (b.phase == "Succeeded")) return a.phase == "Succeeded";
  return a.created && b.created && *a.created > *b.created;
}

// What stands in the places of the pods that have ended.
class Replacements {
 public:
  explicit Replacements(const PodPointers& pods) {
    for (const FoundPod* const pod : pods) {
      if (has_place(*pod)) {
        const auto [at, is_new] = places_.emplace(numbered_place(*pod), pod);
        if (!is_new && is_better(*pod, *at->second)) at->second = pod;
      } else if (pod->owner && !has_ended(*pod)) {
        const auto [at, is_new] = latest_.emplace(controller_key(*pod), pod);
        if (!is_new && is_later(*pod, *at->second)) at->second = pod;
      }
    }
  }

  bool has(const FoundPod& ended) const {
    if (has_place(ended)) return places_.at(numbered_place(ended)) != &ended;
    if (!is_made_again(ended)) return false;
    const auto other = latest_.find(controller_key(ended));
    if (other == latest_.end()) return false;
    const std::optional<WallTime> end = end_of(ended);
    return !end || !other->second->created || saturating_sum(*other->second->created, clock_tolerance) >= *end;
  }

 private:
  // A pod without a date counts as the latest.
  static bool is_later(const FoundPod& a, const FoundPod& b) { return !a.created || (b.created && *a.created > *b.created); }

  std::map<PlaceKey, const FoundPod*> places_;
  std::map<ControllerKey, const FoundPod*> latest_;
};

// Of more pods than there must be those that run count first, and the older ones; of those that have failed the last.
bool counts_before(const FoundPod* a, const FoundPod* b) {
  if (has_ended(*a) != has_ended(*b)) return has_ended(*b);
  const std::string_view first = has_ended(*a) ? "Succeeded" : "Running";
  if ((a->phase == first) != (b->phase == first)) return a->phase == first;
  if (a->created != b->created) return has_ended(*a) ? a->created > b->created : a->created < b->created;
  return a->name < b->name;
}

}  // namespace

void drop_replaced(PodPointers& pods) {
  if (std::none_of(pods.begin(), pods.end(), [](const FoundPod* pod) { return has_ended(*pod); })) return;
  const Replacements replacements(pods);
  std::erase_if(pods, [&replacements](const FoundPod* pod) { return has_ended(*pod) && replacements.has(*pod); });
}

void drop_surplus(PodPointers& pods, int size, const std::function<bool(const FoundPod&)>& is_own) {
  const auto most = static_cast<std::size_t>(std::max(0, size));
  if (pods.size() <= most) return;
  PodPointers own;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(own), [&](const FoundPod* pod) { return !is_leaving(*pod) && is_own(*pod); });
  if (own.size() <= most) return;
  std::sort(own.begin(), own.end(), counts_before);
  const std::set<const FoundPod*> surplus(own.begin() + static_cast<std::ptrdiff_t>(most), own.end());
  std::erase_if(pods, [&surplus](const FoundPod* pod) { return surplus.contains(pod); });
}

}  // namespace rollcall
