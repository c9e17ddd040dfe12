#include "resolvers/kubernetes/workload/wire/workload_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/kubernetes/workload/wire/label_syntax.hpp"

namespace rollcall {
namespace {

std::string requirement(const ObjectView& expression) {
  const std::string key = expression.text("key");
  const std::string by = expression.text("operator");
  const std::vector<std::string> values = expression.texts("values");
  const bool is_set = by == "In" || by == "NotIn";
  const bool is_fine = is_label_key(key) && std::all_of(values.begin(), values.end(), is_label_value) && is_set != values.empty() &&
                       (is_set || by == "Exists" || by == "DoesNotExist");
  if (!is_fine) {
    expression.complain("key", fmt::format("{} with the operator {} is no requirement", quoted(key, 80), quoted(by, 40)));
    return {};
  }
  if (by == "Exists") return key;
  if (by == "DoesNotExist") return "!" + key;
  return fmt::format("{} {} ({})", key, by == "In" ? "in" : "notin", fmt::join(values, ","));
}

}  // namespace

void set_label(WorkloadRole& role, std::string_view key, std::string value) {
  const auto known = std::find_if(role.labels.begin(), role.labels.end(), [key](const auto& label) { return label.first == key; });
  if (known != role.labels.end()) {
    known->second = std::move(value);
  } else {
    role.labels.emplace_back(key, std::move(value));
  }
}

std::string selector_of(std::span<const std::pair<std::string, std::string>> labels, const ObjectView& complaints) {
  std::string selector;
  for (const auto& [key, value] : labels) {
    if (!is_label_key(key) || !is_label_value(value))
      complaints.complain(printable(key, 80), fmt::format("is {}, no label", quoted(value, 80)));
    selector += fmt::format("{}{}={}", selector.empty() ? "" : ",", key, value);
  }
  return selector;
}

std::string read_selector(const ObjectView& object, std::string_view key) {
  const ObjectView selector = object.at(key);
  std::string text = selector_of(selector.labels("matchLabels"), selector);
  for (const ObjectView& expression : selector.list("matchExpressions")) {
    const std::string one = requirement(expression);
    if (!one.empty()) text += (text.empty() ? "" : ",") + one;
  }
  return text;
}

void name_jobs(Workload& workload) {
  const auto is_main = [](const WorkloadRole& role) { return role.is_member && role.name != "head"; };
  const auto main_roles = std::count_if(workload.roles.begin(), workload.roles.end(), is_main);
  std::map<std::string, int> taken;
  for (WorkloadRole& role : workload.roles) {
    role.job = main_roles == 1 && is_main(role) ? "worker" : to_lower(role.name);
    if (!job_name_fault(role.job).empty()) role.job = "worker";
    const int others = taken[role.job]++;
    if (others > 0) role.job = fmt::format("{}-{}", role.job, others + 1);
  }
}

}  // namespace rollcall
