// One name for one cluster: the target as each client of a service sends it.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/client/served_cluster.hpp"
#include "fleet/wire/served_target.hpp"
#include "google/cloud_place.hpp"
#include "rollcall/scheme_rules.hpp"

namespace rollcall {
namespace {

// True for keys that concern the client alone: they change nothing about the cluster.
bool is_of_client(const SchemeRules& rules, std::string_view key) {
  return std::any_of(rules.keys.begin(), rules.keys.end(),
                     [key](const ServedKey& served) { return served.is_of_client && served.name == key; });
}

void set_option(Target& target, std::string key, std::string value) {
  for (auto& [name, items] : target.options) {
    if (name == key) {
      items = {std::move(value)};
      return;
    }
  }
  target.options.emplace_back(std::move(key), std::vector<std::string>{std::move(value)});
}

// A full resource name has project and zone in it.
bool has_place(const SchemeRules& rules, const Target& target) {
  return rules.with_plain_name && target.body.find("projects/") != std::string::npos;
}

}  // namespace

asio::awaitable<Result<Target>> common_target(Call& call, Target target, std::optional<std::string> job) {
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  if (!rules) co_return Failure(Errc::invalid_argument, fmt::format("no service answers for {}: targets", target.scheme));
  std::erase_if(target.options, [rules](const auto& option) { return is_of_client(*rules, option.first); });
  if (rules->place == SchemePlace::zone && !has_place(*rules, target)) {
    const Environment& environment = *impl_of(call).environment;
    const bool has_region = target.get("region").has_value();
    std::string project = project_setting(CloudSetting(target.get("project").value_or("")), environment).value;
    std::string zone;
    if (!has_region) zone = zone_setting(CloudSetting(target.get("zone").value_or("")), environment).value;
    std::string who = fmt::format("{} {}", rules->noun, quoted(target.body, 80));
    const Result<void> completed = co_await complete_place(call, std::move(who), project, has_region ? nullptr : &zone);
    if (!completed) co_return completed.error();
    set_option(target, "project", std::move(project));
    if (!has_region) set_option(target, "zone", std::move(zone));
  }
  if (job) set_option(target, "job", std::move(*job));
  co_return fleet::canonical_target(std::move(target));
}

}  // namespace rollcall
