// Gives the targets of one cluster one name, so that all its clients use the same.
#include <algorithm>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/client/served_cluster.hpp"
#include "fleet/wire/served_target.hpp"
#include "google/cloud_place.hpp"

namespace rollcall {
namespace {

// Keys that only concern the client: they change nothing about the cluster. The type of a gce: target names its job.
bool is_of_client(const Target& target, std::string_view key) {
  return key == "task" || key == "rpc_layer" || (key == "type" && target.scheme != "gce");
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

// A full resource name contains both.
bool has_place(const Target& target) { return target.scheme == "tpu" && target.body.find("projects/") != std::string::npos; }

}  // namespace

asio::awaitable<Result<Target>> common_target(Call& call, Target target, std::optional<std::string> job) {
  std::erase_if(target.options, [&target](const auto& option) { return is_of_client(target, option.first); });
  if ((target.scheme == "tpu" || target.scheme == "gce") && !has_place(target)) {
    const Environment& environment = *impl_of(call).environment;
    const bool has_region = target.get("region").has_value();
    std::string project = project_setting(CloudSetting(target.get("project").value_or("")), environment).value;
    std::string zone;
    if (!has_region) zone = zone_setting(CloudSetting(target.get("zone").value_or("")), environment).value;
    std::string who = (target.scheme == "tpu" ? "TPU " : "instance group ") + quoted(target.body, 80);
    const Result<void> completed = co_await complete_place(call, std::move(who), project, has_region ? nullptr : &zone);
    if (!completed) co_return completed.error();
    set_option(target, "project", std::move(project));
    if (!has_region) set_option(target, "zone", std::move(zone));
  }
  if (job) set_option(target, "job", std::move(*job));
  co_return fleet::canonical_target(std::move(target));
}

}  // namespace rollcall
