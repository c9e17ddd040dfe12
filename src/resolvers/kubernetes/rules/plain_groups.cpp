#include "resolvers/kubernetes/rules/plain_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/saturating.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view count_annotation = "kueue.x-k8s.io/pod-group-total-count";

std::string shown_group(std::string_view name) { return "pod group " + printable(name, 80); }

class OneGroup {
 public:
  std::optional<int> size;
  const FoundPod* said_by = nullptr;
  int pods = 0;
};

// What contradicts, or lacks, in the pod's own word.
std::string fault_of(const FoundPod& pod, OneGroup& group) {
  const std::string& text = pod.groups->kueue_count;
  const std::optional<int> count = parse_decimal<int>(text);
  if (!count || *count < 1) {
    return fmt::format("pod {} of {} does not say how many there are ({} is {})", shown_pod(pod), shown_group(pod.groups->kueue),
                       count_annotation, text.empty() ? "missing" : quoted(text, 40));
  }
  if (!group.size) {
    group.size = count;
    group.said_by = &pod;
  }
  if (*group.size == *count) return {};
  return fmt::format("the pods of {} contradict each other: {} by {}, {} by {} ({})", shown_group(pod.groups->kueue), *group.size,
                     shown_pod(*group.said_by), *count, shown_pod(pod), count_annotation);
}

}  // namespace

int PlainGroups::size() const noexcept {
  int sum = 0;
  for (const auto& [name, size] : sizes) sum = saturating_sum(sum, size);
  return sum;
}

std::string PlainGroups::source() const {
  std::string text;
  std::size_t listed = 0;
  for (const auto& [name, size] : sizes) {
    if (++listed > 4) return text + fmt::format("; and {} more", sizes.size() - 4);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", shown_group(name), size);
  }
  return text;
}

bool is_in_plain_group(const FoundPod& pod) { return pod.groups && !pod.groups->kueue.empty(); }

PlainGroups plain_groups(PodPointers& pods) {
  PlainGroups result;
  std::map<std::string_view, OneGroup> groups;
  for (const FoundPod* const pod : pods) {
    OneGroup& group = groups[pod->groups->kueue];
    ++group.pods;
    std::string fault = fault_of(*pod, group);
    if (result.unknown.empty()) result.unknown = std::move(fault);
  }
  // Kueue lets another pod come in the place of one that has failed.
  std::erase_if(pods, [&groups](const FoundPod* pod) {
    OneGroup& group = groups[pod->groups->kueue];
    if (pod->phase != "Failed" || !group.size || group.pods <= *group.size) return false;
    --group.pods;
    return true;
  });
  for (const auto& [name, group] : groups) {
    if (group.size && group.pods > *group.size && result.unknown.empty())
      result.unknown =
          fmt::format("{} has {} pods, and {} by their annotation {}", shown_group(name), group.pods, *group.size, count_annotation);
    if (group.size) result.sizes.emplace(name, *group.size);
  }
  return result;
}

}  // namespace rollcall
