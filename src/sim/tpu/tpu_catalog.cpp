// Accelerator types, runtime versions, locations, operations.

#include <algorithm>

#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

json::object accelerator_type_json(const AcceleratorTypeModel& type, const std::string& folder, bool is_v1) {
  json::object out{{"name", folder + type.name}, {"type", type.name}};
  json::array configs;
  for (const auto& [config_type, topology] : type.configs) configs.push_back(json::object{{"type", config_type}, {"topology", topology}});
  if (!is_v1) put(out, "acceleratorConfigs", std::move(configs));
  return out;
}

std::vector<TpuItem> items_of(const Context& context, const Route& route, const std::string& parent) {
  std::vector<TpuItem> out;
  const auto add = [&out](const std::string& key, json::object value) {
    out.push_back({key, [shown = std::move(value)] { return shown; }});
  };
  const std::string folder = parent + "/" + route.collection + "/";
  if (route.collection == "acceleratorTypes") {
    for (const auto& type : context.model.accelerator_types) add(type.name, accelerator_type_json(type, folder, route.version == "v1"));
  } else if (route.collection == "runtimeVersions" || route.collection == "tensorflowVersions") {
    for (const std::string& version : context.model.runtime_versions) add(version, {{"name", folder + version}, {"version", version}});
  } else if (route.collection == "locations") {
    for (const std::string& zone : context.model.zones) add(zone, {{"name", folder + zone}, {"locationId", zone}});
  }  // no operations, since no call starts one
  std::sort(out.begin(), out.end(), [](const TpuItem& a, const TpuItem& b) { return a.key < b.key; });
  return out;
}

std::string_view item_schema(std::string_view collection) {
  if (collection == "acceleratorTypes") return "name,type,acceleratorConfigs(type,topology)";
  if (collection == "locations") return "name,locationId,displayName,labels/*,metadata/*";
  if (collection == "operations") return "name,done,metadata/*,error(code,message,details/*),response/*";
  return "name,version";
}

}  // namespace

Reply answer_tpu_catalog(const Context& context, const Route& route, const ParsedTarget& target) {
  const std::string parent = "projects/" + route.project + (route.collection == "locations" ? "" : "/locations/" + route.location);
  const std::vector<TpuItem> items = items_of(context, route, parent);
  const std::string_view schema = item_schema(route.collection);
  if (route.verb == "get") {
    const auto found = std::find_if(items.begin(), items.end(), [&](const TpuItem& item) { return item.key == route.item; });
    if (found == items.end()) return resource_not_found(parent + "/" + route.collection + "/" + route.item);
    return tpu_reply(found->show(), schema, target);
  }
  return tpu_list(context, route, target, items, schema);
}

}  // namespace rollcall::sim
