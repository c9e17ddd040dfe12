// The Cloud TPU API: nodes, types, versions, locations, operations. Read-only.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/sim/cloud.hpp"
#include "sim/model/model.hpp"
#include "sim/wire/responses.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

Reply answer_tpu(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);

/// The document of `$discovery/rest?version=`. Its rootUrl is the request's address.
Reply answer_discovery(const Request& request, const Route& route);

/// queuedResources: get and list.
Reply answer_queued_resources(const Context& context, const Route& route, const ParsedTarget& target);

/// The collections other than nodes and queued resources.
Reply answer_tpu_catalog(const Context& context, const Route& route, const ParsedTarget& target);

/// The project's id if the route has its number.
std::string project_id(const Context& context, const Route& route);
/// True if the route's list includes `zone`.
bool is_listed_zone(const Context& context, const Route& route, std::string_view zone);
/// 503 for the list of an unreachable zone.
std::optional<Reply> refuse_zone(const Context& context, const Route& route);

/// For all methods: applies the `fields` mask over `schema`, and prettyPrint.
Reply tpu_reply(const json::value& value, std::string_view schema, const ParsedTarget& target);

/// An item of a list. Only items of the requested page are rendered.
struct TpuItem {
  std::string key;
  std::function<json::object()> show;
};
/// One page of the route's collection. The items are sorted by their keys, which are in page tokens.
Reply tpu_list(const Context& context, const Route& route, const ParsedTarget& target, const std::vector<TpuItem>& items,
               std::string_view schema);

/// get and list of objects with a timeline, sorted by full name. `show(thing, moment)` makes an object's JSON.
template <class Thing, class Show>
Reply answer_things(const Context& context, const Route& route, const ParsedTarget& target, const std::vector<Thing>& things,
                    const std::string& schema, Show show) {
  const std::string project = project_id(context, route);
  const auto moment_of = [&](const Thing& thing) {
    const auto* const moment = moment_at(thing.timeline, context.now);
    return moment && moment->state != "DELETED" ? moment : nullptr;
  };
  if (route.verb == "get") {
    const std::string name = "projects/" + project + "/locations/" + route.location + "/" + route.collection + "/" + route.item;
    const auto found = std::lower_bound(things.begin(), things.end(), name,
                                        [](const Thing& thing, const std::string& wanted) { return thing.full_name() < wanted; });
    const auto* const moment = found != things.end() && found->full_name() == name ? moment_of(*found) : nullptr;
    return moment ? tpu_reply(show(*found, *moment), schema, target) : resource_not_found(name);
  }
  if (auto refusal = refuse_zone(context, route)) return *std::move(refusal);
  std::vector<TpuItem> items;
  for (const Thing& thing : things) {
    const auto* const moment = moment_of(thing);
    if (!moment || thing.project != project || !is_listed_zone(context, route, thing.zone)) continue;
    items.push_back({thing.full_name(), [&thing, moment, show] { return show(thing, *moment); }});
  }
  return tpu_list(context, route, target, items, schema);
}

/// proto3 JSON: defaults left out, 64-bit integers as strings. Source: google/cloud/tpu/{v1,v2,v2alpha1}/cloud_tpu.proto.
json::object node_json(const NodeModel& node, const NodeMoment& moment, std::string_view version, std::string_view start_time);

/// The fields of a node in that version, as a field mask.
std::string node_schema(std::string_view version);

}  // namespace rollcall::sim
