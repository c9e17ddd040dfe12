#include "resolvers/tpu/rules/tpu_rules.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

constexpr ServedKey tpu_keys_served[] = {{"project"}, {"zone"}, {"job"}, {"slices"}, {"api"}};

std::string_view tpu_name_fault(const Target& target) {
  if (target.body == "local") return "it means the client's own machine";
  const std::string_view name = trim(target.body);
  // Addresses, and the names that only Google's own machines resolve: see plan_tpu().
  if (name.find("://") != std::string_view::npos || name.starts_with("localhost:") || name.starts_with("/bns"))
    return "it names addresses, not a TPU";
  return {};
}

// A key that is missing or has an empty value takes the one of the full name.
void add_place(Target& target, std::string_view key, std::string value) {
  const auto found = std::find_if(target.options.begin(), target.options.end(), [key](const auto& option) { return option.first == key; });
  const bool is_given = found != target.options.end() && !found->second.empty() &&
                        std::none_of(found->second.begin(), found->second.end(), [](const std::string& item) { return item.empty(); });
  if (is_given) return;
  std::erase_if(target.options, [key](const auto& option) { return option.first == key; });
  target.options.emplace_back(key, std::vector<std::string>{std::move(value)});
}

// As plan_tpu() and plan_queued() have it. What has a slash and is no full name has no resolver.
Target tpu_with_plain_name(Target target) {
  const bool is_queued = target.body.starts_with(queued_prefix);
  const std::string_view name = std::string_view(target.body).substr(is_queued ? queued_prefix.size() : 0);
  for (const std::string_view collection : {"nodes", "queuedResources"}) {
    std::optional<ResourceName> full = ResourceName::parse(name, collection);
    if (!full) continue;
    add_place(target, "project", std::move(full->project));
    add_place(target, "zone", std::move(full->location));
    target.body = (is_queued || collection != "nodes" ? std::string(queued_prefix) : std::string()) + full->id;
    return target;
  }
  return target;
}

bool is_tpu_node(const Target& target) { return !names_queued_resource(target); }

}  // namespace

bool names_queued_resource(const Target& target) {
  return target.body.starts_with(queued_prefix) || target.body.find("/queuedResources/") != std::string::npos;
}

constexpr SchemeRules tpu_rules = {
    .scheme = "tpu",
    .keys = tpu_keys_served,
    .place = SchemePlace::zone,
    .noun = "TPU",
    .name_fault = tpu_name_fault,
    .with_plain_name = tpu_with_plain_name,
    .is_listed = is_tpu_node,
};

}  // namespace rollcall
