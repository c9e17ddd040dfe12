#include "resolvers/kubernetes/workload/rules/selected_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/saturating.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

// One requirement of a selector. [facts: k8s-selectors]
class Requirement {
 public:
  std::string text;
  std::string_view key;
  std::vector<std::string_view> values;
  bool is_negated = false;  // !=, notin, !key
  bool is_about_presence = false;  // key, !key
  bool is_understood = true;

  bool holds(std::string_view value) const {
    if (is_about_presence) return !is_negated;
    return (std::find(values.begin(), values.end(), value) != values.end()) != is_negated;
  }
};

// Commas within brackets do not divide.
std::vector<std::string_view> divide(std::string_view selector) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= selector.size(); ++i) {
    if (i < selector.size() && selector[i] == '(') ++depth;
    if (i < selector.size() && selector[i] == ')') --depth;
    if (i < selector.size() && (selector[i] != ',' || depth > 0)) continue;
    parts.push_back(trim(selector.substr(start, i - start)));
    start = i + 1;
  }
  return parts;
}

// `text` must outlive it.
Requirement parse_requirement(std::string_view text) {
  Requirement one;
  one.text = std::string(text);
  const auto set_at = [text](std::string_view word) -> std::size_t {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const bool begins = at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t');
      const std::size_t end = at + word.size();
      if (begins && end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '(')) return at;
    }
    return std::string_view::npos;
  };
  for (const std::string_view word : {"notin", "in"}) {
    const std::size_t at = set_at(word);
    const std::size_t open = text.find('(');
    if (at == std::string_view::npos || open == std::string_view::npos || open < at || text.back() != ')') continue;
    one.key = trim(text.substr(0, at));
    one.is_negated = word == "notin";
    for (const std::string_view value : split(text.substr(open + 1, text.size() - open - 2), ',')) one.values.push_back(trim(value));
    return one;
  }
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    one.is_negated = equals > 0 && text[equals - 1] == '!';
    one.key = trim(text.substr(0, one.is_negated ? equals - 1 : equals));
    std::string_view value = text.substr(equals + 1);
    if (value.starts_with('=')) value.remove_prefix(1);
    one.values.push_back(trim(value));
    return one;
  }
  one.is_about_presence = true;
  one.is_negated = text.starts_with('!');
  one.key = trim(text.substr(one.is_negated ? 1 : 0));
  one.is_understood = one.key.find_first_of("<> ()") == std::string_view::npos;
  return one;
}

// How a label numbers the pods of a role.
class NumberLabel {
 public:
  std::string_view key;
  bool is_of_part;  // else of the member within its part
};

constexpr NumberLabel number_labels[] = {
    {"batch.kubernetes.io/job-completion-index", false},
    {"jobset.sigs.k8s.io/job-index", true},
    {"leaderworkerset.sigs.k8s.io/group-index", true},
    {"leaderworkerset.sigs.k8s.io/worker-index", false},
    {"apps.kubernetes.io/pod-index", false},
    {"training.kubeflow.org/replica-index", false},
    {"volcano.sh/task-index", false},
};

bool numbers_pods_of(std::string_view key, WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::job: return key.starts_with("batch.kubernetes.io/");
    case WorkloadKind::job_set: return key.starts_with("batch.kubernetes.io/") || key.starts_with("jobset.");
    case WorkloadKind::leader_worker_set: return key.starts_with("leaderworkerset.");
    case WorkloadKind::stateful_set: return key.starts_with("apps.");
    case WorkloadKind::kubeflow_job:
    case WorkloadKind::mpi_job: return key.starts_with("training.");
    case WorkloadKind::volcano_job: return key.starts_with("volcano.");
    default: return false;
  }
}

// How many of `count` indices from `first` on meet the requirement.
int matching_indices(const Requirement& wanted, int first, int count) {
  if (wanted.is_about_presence) return wanted.is_negated ? 0 : count;
  std::set<int> indices;
  for (const std::string_view value : wanted.values) {
    const std::optional<int> index = parse_decimal<int>(value);
    if (index && *index >= first && *index - first < count && std::to_string(*index) == value) indices.insert(*index);
  }
  const int met = static_cast<int>(indices.size());
  return wanted.is_negated ? count - met : met;
}

// The pods of one Job of a JobSet, or one pod of a StatefulSet, by names that end in its index. Values that name others count for nothing.
int matching_names(const Requirement& wanted, const std::string& prefix, int first, int count) {
  if (wanted.is_about_presence) return wanted.is_negated ? 0 : count;
  std::vector<std::string_view> indices;
  for (const std::string_view value : wanted.values) {
    if (value.starts_with(prefix)) indices.push_back(value.substr(prefix.size()));
  }
  Requirement by_index = wanted;
  by_index.values = std::move(indices);
  return matching_indices(by_index, first, count);
}

// False: it is not known how many meet the requirement.
bool narrow(SelectedRole& selected, const Requirement& wanted, const Workload& workload, bool& has_parts, bool& has_members) {
  const WorkloadRole& role = *selected.role;
  const WorkloadKind kind = workload.type->kind;
  if (!wanted.is_understood || wanted.key.empty()) return false;
  const bool is_job_name = wanted.key == "job-name" || wanted.key == "batch.kubernetes.io/job-name";
  const bool is_pod_name = wanted.key == "statefulset.kubernetes.io/pod-name" && kind == WorkloadKind::stateful_set;
  const auto number = std::find_if(std::begin(number_labels), std::end(number_labels),
                                   [&](const NumberLabel& label) { return label.key == wanted.key && numbers_pods_of(label.key, kind); });
  const bool is_number = number != std::end(number_labels);
  if (is_number || is_pod_name || (is_job_name && kind == WorkloadKind::job_set)) {
    if (role.numbers != RoleNumbers::places && !wanted.is_about_presence) return false;
    const bool is_of_part = is_number ? number->is_of_part : is_job_name;
    if (std::exchange(is_of_part ? has_parts : has_members, true)) return false;  // two requirements of one number
    int& count = is_of_part ? selected.parts : selected.members;
    const int first = is_of_part ? 0 : role.first;
    if (is_number) {
      count = matching_indices(wanted, first, count);
    } else {
      const std::string prefix = is_pod_name ? workload.name + "-" : fmt::format("{}-{}-", workload.name, role.name);
      count = matching_names(wanted, prefix, first, count);
    }
    return true;
  }
  const auto label = std::find_if(role.labels.begin(), role.labels.end(), [&](const auto& one) { return one.first == wanted.key; });
  if (label == role.labels.end()) return false;
  if (wanted.is_about_presence && label->second.empty()) {
    if (!wanted.is_negated) selected.parts = selected.members = 0;
    return true;
  }
  if (!wanted.holds(label->second)) selected.parts = selected.members = 0;
  return true;
}

bool is_name_of(const Requirement& wanted, const Workload& workload) {
  constexpr std::string_view name_labels[] = {"job-name",
                                              "batch.kubernetes.io/job-name",
                                              "jobset.sigs.k8s.io/jobset-name",
                                              "leaderworkerset.sigs.k8s.io/name",
                                              "training.kubeflow.org/job-name",
                                              "ray.io/cluster",
                                              "volcano.sh/job-name"};
  constexpr std::string_view uid_labels[] = {"controller-uid", "batch.kubernetes.io/controller-uid", "jobset.sigs.k8s.io/jobset-uid"};
  if (wanted.is_negated || wanted.values.size() != 1) return false;
  const bool is_name = std::find(std::begin(name_labels), std::end(name_labels), wanted.key) != std::end(name_labels);
  const bool is_uid = std::find(std::begin(uid_labels), std::end(uid_labels), wanted.key) != std::end(uid_labels);
  return (is_name && wanted.values[0] == workload.name) || (is_uid && wanted.values[0] == workload.uid);
}

}  // namespace

int SelectedRole::size() const noexcept {
  int product = 0;
  return __builtin_mul_overflow(parts, members, &product) ? std::numeric_limits<int>::max() : product;
}

SelectedRoles roles_selected_by(std::string_view selector, const Workload& workload) {
  SelectedRoles result;
  const std::vector<std::string_view> parts = divide(selector);
  std::vector<Requirement> wanted;
  for (const std::string_view part : parts) {
    if (!part.empty()) wanted.push_back(parse_requirement(part));
  }
  result.names_workload =
      std::any_of(wanted.begin(), wanted.end(), [&workload](const Requirement& one) { return is_name_of(one, workload); });
  for (const WorkloadRole& role : workload.roles) {
    SelectedRole selected;
    selected.role = &role;
    selected.parts = role.parts;
    selected.members = role.members;
    bool has_parts = false;
    bool has_members = false;
    std::string unknown;
    for (const Requirement& one : wanted) {
      if (!narrow(selected, one, workload, has_parts, has_members) && unknown.empty()) unknown = one.text;
    }
    if (selected.size() == 0 && !role.is_member) continue;
    if (selected.size() > 0 && result.unknown.empty()) result.unknown = unknown;
    result.roles.push_back(selected);
  }
  return result;
}

}  // namespace rollcall
