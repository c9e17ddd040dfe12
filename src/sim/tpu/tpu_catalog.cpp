// Accelerator types, runtime versions, locations, operations; and the discovery document.
#include <fmt/format.h>

#include <algorithm>

#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

struct Item {
  std::string key;
  json::object value;
};

json::object accelerator_type_json(const AcceleratorTypeModel& type, const std::string& parent, bool is_v1) {
  json::object out{{"name", parent + "/acceleratorTypes/" + type.name}, {"type", type.name}};
  json::array configs;
  for (const auto& [config_type, topology] : type.configs) configs.push_back(json::object{{"type", config_type}, {"topology", topology}});
  if (!is_v1) put(out, "acceleratorConfigs", std::move(configs));
  return out;
}

std::vector<Item> items_of(const Context& context, const Route& route, const std::string& parent) {
  std::vector<Item> out;
  if (route.collection == "acceleratorTypes") {
    for (const auto& type : context.model.accelerator_types)
      out.push_back({type.name, accelerator_type_json(type, parent, route.version == "v1")});
  } else if (route.collection == "runtimeVersions" || route.collection == "tensorflowVersions") {
    for (const std::string& version : context.model.runtime_versions)
      out.push_back({version, {{"name", parent + "/" + route.collection + "/" + version}, {"version", version}}});
  } else if (route.collection == "locations") {
    for (const std::string& zone : context.model.zones)
      out.push_back({zone, {{"name", parent + "/locations/" + zone}, {"locationId", zone}}});
  }  // no operations: nothing was ever asked for
  std::sort(out.begin(), out.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
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
  const std::vector<Item> items = items_of(context, route, parent);
  const std::string_view schema = item_schema(route.collection);
  if (route.verb == "get") {
    const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.key == route.item; });
    if (found == items.end()) return resource_not_found(parent + "/" + route.collection + "/" + route.item);
    return tpu_reply(found->value, schema, target);
  }
  std::vector<std::string> keys;
  for (const Item& item : items) keys.push_back(item.key);
  const auto page = page_of(keys, target, context.model.api.max_page_size);
  if (!page) return google_error(400, default_message(400));
  json::object out;
  json::array list;
  for (std::size_t i = page->first; i < page->last; ++i) list.push_back(items[i].value);
  put(out, route.collection, std::move(list));
  put(out, "nextPageToken", page->next_token);
  return tpu_reply(out, fmt::format("{}({}),nextPageToken,unreachable", route.collection, schema), target);
}

}  // namespace rollcall::sim
