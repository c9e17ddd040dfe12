#include "resolvers/kubernetes/chain/rules/selector_roots.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace rollcall {
namespace {

class RootLabel {
 public:
  std::string_view label;
  std::string_view api_version;
  std::string_view kind;
};
constexpr RootLabel root_labels[] = {
    {"job-name", "batch/v1", "Job"},
    {"batch.kubernetes.io/job-name", "batch/v1", "Job"},
    {"jobset.sigs.k8s.io/jobset-name", "jobset.x-k8s.io/v1alpha2", "JobSet"},
    {"leaderworkerset.sigs.k8s.io/name", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"},
    {"ray.io/cluster", "ray.io/v1", "RayCluster"},
};

bool can_be_object_name(std::string_view name) {
  return !name.empty() && name.size() <= max_name_text &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; });
}

}  // namespace

std::vector<KubeObject> roots_of_selector(std::string_view selector, std::string_view namespace_name) {
  std::vector<KubeObject> roots;
  if (namespace_name.empty()) return roots;  // the name may be that of many
  for (std::string_view term : split(selector, ',')) {
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos || equals == 0 || term[equals - 1] == '!') continue;
    const std::string_view key = trim(term.substr(0, equals));
    term.remove_prefix(equals + 1);
    if (term.starts_with('=')) term.remove_prefix(1);
    const std::string_view value = trim(term);
    const auto found =
        std::find_if(std::begin(root_labels), std::end(root_labels), [key](const RootLabel& one) { return one.label == key; });
    if (found == std::end(root_labels) || !can_be_object_name(value)) continue;
    KubeObject& root = roots.emplace_back();
    root.api_version = found->api_version;
    root.kind = found->kind;
    root.name = value;
    root.namespace_name = namespace_name;
  }
  return roots;
}

}  // namespace rollcall
