#include "sim/compute/compute_api.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/compute/compute_filter.hpp"
#include "sim/model/model.hpp"
#include "sim/wire/responses.hpp"
#include "sim/wire/signed_in.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view group_schema =
    "kind,id,name,zone,region,network,size,selfLink,description,creationTimestamp,fingerprint,namedPorts(name,port)";

Reply compute_not_found(const Route& route, std::string_view path) {
  return compute_error(404, "notFound", fmt::format("The resource 'projects/{}/{}' was not found", route.project, path));
}

std::optional<Reply> refuse_compute_caller(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  const TokenVerdict verdict = judge_token(context, request, target.get("access_token").value_or(""));
  if (verdict != TokenVerdict::accepted) {
    const bool is_missing = verdict == TokenVerdict::missing;
    Reply reply = compute_error(401, is_missing ? "required" : "authError", is_missing ? "Login Required." : "Invalid Credentials",
                                {{"location", "Authorization"}, {"locationType", "header"}});
    reply.headers.add("WWW-Authenticate", bearer_challenge(verdict));
    return reply;
  }
  const std::string permission =
      fmt::format("compute.{}.{}", route.collection == "instances" ? "instances" : "instanceGroups", route.verb == "get" ? "get" : "list");
  const bool is_own = route.project == context.model.project || route.project == context.model.project_number;
  if (is_own && !lacks_permission(context, request, permission)) return std::nullopt;
  return compute_error(403, "forbidden", fmt::format("Required '{}' permission for 'projects/{}'", permission, route.project));
}

std::optional<Reply> refuse_compute_query(const Route& route, const ParsedTarget& target) {
  constexpr std::string_view common = "$.xgafv access_token alt callback fields key oauth_token $alt prettyPrint quotaUser";
  const std::string_view of_lists = route.verb == "get" ? "" : "filter maxResults orderBy pageToken returnPartialSuccess";
  // All scopes are always shown, as for all older kinds of resources.
  const std::string_view of_aggregated = route.verb == "aggregatedList" ? "includeAllScopes serviceProjectNumber" : "";
  for (const auto& [key, value] : target.query) {
    if (names_word(common, key) || names_word(of_lists, key) || names_word(of_aggregated, key)) continue;
    return compute_error(400, "badRequest",
                         fmt::format("Invalid JSON payload received. Unknown name \"{}\": Cannot bind query parameter.", key));
  }
  return std::nullopt;
}

bool is_unreachable(const Context& context, const std::string& zone) {
  const auto& zones = context.model.unreachable_zones;
  return std::find(zones.begin(), zones.end(), zone) != zones.end();
}

// True for the order by creation, newest first; false for the order by name; none for another orderBy.
std::optional<bool> is_by_age(const ParsedTarget& target) {
  const std::string_view order = target.get("orderBy").value_or("");
  if (order.empty() || order == "name" || order == "name asc") return false;
  if (order == "creationTimestamp desc") return true;
  return std::nullopt;
}

std::string order_key(const ComputeInstance& instance, bool by_age) {
  return by_age ? fmt::format("{:020}{}", INT64_MAX - instance.timeline.front().at.count(), instance.name)
                : instance.name + " " + instance.zone;
}

Reply list_instances(const Context& context, const Route& route, const ParsedTarget& target) {
  if (is_unreachable(context, route.location)) return scripted_compute_error(503, {}, {});
  const auto filter = ComputeFilter::parse(target.get("filter").value_or(""));
  if (!filter) return bad_parameter("filter", *target.get("filter"));
  const auto by_age = is_by_age(target);
  if (!by_age) return bad_parameter("orderBy", *target.get("orderBy"));
  const std::vector<ComputeInstance>& instances = context.model.compute.instances;
  Listing listing;
  listing.show = [&](std::size_t i) { return instance_json(context, instances[i], *moment_at(instances[i].timeline, context.now)); };
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const ComputeMoment* const moment = moment_at(instances[i].timeline, context.now);
    if (instances[i].zone != route.location || !moment || moment->status == "DELETED") continue;
    listing.add(order_key(instances[i], *by_age), i, *filter);
  }
  return compute_list_reply(context, "compute#instanceList", "zones/" + route.location + "/instances", instance_schema, std::move(listing),
                            target);
}

Reply get_instance(const Context& context, const Route& route, const ParsedTarget& target) {
  const std::string name = "zones/" + route.location + "/instances/" + route.item;
  const auto& instances = context.model.compute.instances;
  const auto found = std::lower_bound(instances.begin(), instances.end(), name,
                                      [](const ComputeInstance& i, const std::string& n) { return i.full_name() < n; });
  if (found == instances.end() || found->full_name() != name) return compute_not_found(route, name);
  const ComputeMoment* const moment = moment_at(found->timeline, context.now);
  if (!moment || moment->status == "DELETED") return compute_not_found(route, name);
  return compute_reply(instance_json(context, *found, *moment), instance_schema, target);
}

bool is_member(const ComputeGroup& group, const ComputeInstance& instance) {
  const bool is_here = group.zone.empty() ? instance.zone.starts_with(group.region + "-") : instance.zone == group.zone;
  return is_here && std::any_of(group.instances.begin(), group.instances.end(),
                                [&](const std::string& pattern) { return glob_match(pattern, instance.name); });
}

// The group's members that exist. Members in unreachable zones are left out with a warning; if the client takes no partial answers the
// result is none.
std::optional<std::vector<std::pair<const ComputeInstance*, const ComputeMoment*>>> members_of(const Context& context,
                                                                                               const ComputeGroup& group,
                                                                                               bool takes_partial, json::object& warning) {
  std::vector<std::pair<const ComputeInstance*, const ComputeMoment*>> members;
  std::vector<std::string> silent;
  if (!group.zone.empty() && is_unreachable(context, group.zone)) silent.push_back(group.zone);
  for (const ComputeInstance& instance : context.model.compute.instances) {
    if (!is_member(group, instance)) continue;
    if (is_unreachable(context, instance.zone)) {
      if (std::find(silent.begin(), silent.end(), instance.zone) == silent.end()) silent.push_back(instance.zone);
      continue;
    }
    const ComputeMoment* const moment = moment_at(instance.timeline, context.now);
    if (moment && moment->status != "DELETED") members.emplace_back(&instance, moment);
  }
  warning = group.warning;
  if (silent.empty()) return members;
  if (!takes_partial) return std::nullopt;
  json::array data;
  for (const std::string& zone : silent) data.push_back(json::object{{"key", "scope"}, {"value", "zones/" + zone}});
  warning["code"] = "UNREACHABLE";
  warning["message"] = silent.size() == 1 ? "The zone is currently unreachable." : "Zones are currently unreachable.";
  warning["data"] = std::move(data);
  return members;
}

json::array named_ports_json(const ComputeGroup& group) {
  json::array out;
  for (const auto& [name, port] : group.named_ports) out.push_back(json::object{{"name", name}, {"port", port}});
  return out;
}

json::object group_json(const Context& context, const ComputeGroup& group) {
  json::object ignored;
  const auto members = members_of(context, group, true, ignored);
  const auto number = static_cast<std::uint64_t>(&group - context.model.compute.groups.data());
  json::object out{{"kind", "compute#instanceGroup"}, {"id", std::to_string(6'000'000'000'000'000'000ULL + number)}, {"name", group.name}};
  put(out, "namedPorts", named_ports_json(group));
  out["network"] = compute_url(context, "global/networks/default");
  out["selfLink"] = compute_url(context, group.place() + "/instanceGroups/" + group.name);
  out["size"] = members->size();
  out[group.zone.empty() ? "region" : "zone"] = compute_url(context, group.place());
  return out;
}

Reply list_members(const Context& context, const Request& request, const ComputeGroup& group, const ParsedTarget& target) {
  std::string state = "ALL";
  if (!trim(request.body).empty()) {
    std::error_code error;
    const json::value body = json::parse(request.body, error);
    const json::object* const object = error ? nullptr : body.if_object();
    if (!object) return compute_error(400, "parseError", "Parse Error");
    if (const json::value* const wanted = object->if_contains("instanceState")) {
      if (!wanted->is_string()) return bad_parameter("instanceState", json::serialize(*wanted));
      state = std::string(wanted->get_string());
    }
  }
  if (state != "ALL" && state != "RUNNING") return bad_parameter("instanceState", state);
  const auto by_age = is_by_age(target);
  if (!by_age) return bad_parameter("orderBy", *target.get("orderBy"));
  const auto filter = ComputeFilter::parse(target.get("filter").value_or(""));
  if (!filter) return bad_parameter("filter", *target.get("filter"));
  Listing listing;
  const auto members = members_of(context, group, target.is_true("returnPartialSuccess"), listing.warning);
  if (!members) return scripted_compute_error(503, {}, {});
  listing.show = [&](std::size_t i) {
    const auto& [instance, moment] = (*members)[i];
    json::object item{{"instance", compute_url(context, instance->full_name())}, {"status", moment->status}};
    put(item, "namedPorts", named_ports_json(group));
    return item;
  };
  for (std::size_t i = 0; i < members->size(); ++i) {
    const auto& [instance, moment] = (*members)[i];
    if (state == "ALL" || moment->status == "RUNNING") listing.add(order_key(*instance, *by_age), i, *filter);
  }
  return compute_list_reply(context,
                            group.zone.empty() ? "compute#regionInstanceGroupsListInstances" : "compute#instanceGroupsListInstances",
                            fmt::format("{}/instanceGroups/{}/listInstances", group.place(), group.name),
                            "instance,status,namedPorts(name,port)", std::move(listing), target);
}

// The groups of every zone and region, by place. A place without groups has a warning.
Reply list_all_groups(const Context& context, const ParsedTarget& target) {
  const auto filter = ComputeFilter::parse(target.get("filter").value_or(""));
  if (!filter) return bad_parameter("filter", *target.get("filter"));
  const auto& groups = context.model.compute.groups;
  if (!context.model.unreachable_zones.empty() && !target.is_true("returnPartialSuccess")) return scripted_compute_error(503, {}, {});
  Listing listing;
  listing.show = [&](std::size_t i) { return group_json(context, groups[i]); };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!is_unreachable(context, groups[i].zone)) listing.add(groups[i].place() + " " + groups[i].name, i, *filter);
  }
  const auto place = [&groups](std::size_t i) { return groups[i].place(); };
  return compute_scopes_reply(context, "instanceGroups", group_schema, std::move(listing), place, target);
}

Reply answer_groups(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  if (route.verb == "aggregatedList") return list_all_groups(context, target);
  const std::string place = (route.collection == "regionInstanceGroups" ? "regions/" : "zones/") + route.location;
  const auto& groups = context.model.compute.groups;
  if (route.verb == "list") {
    const auto filter = ComputeFilter::parse(target.get("filter").value_or(""));
    if (!filter) return bad_parameter("filter", *target.get("filter"));
    Listing listing;
    listing.show = [&](std::size_t i) { return group_json(context, groups[i]); };
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].place() == place) listing.add(groups[i].name, i, *filter);
    }
    return compute_list_reply(context, "compute#instanceGroupList", place + "/instanceGroups", group_schema, std::move(listing), target);
  }
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const ComputeGroup& group) { return group.name == route.item && group.place() == place; });
  if (found == groups.end()) return compute_not_found(route, place + "/instanceGroups/" + route.item);
  if (route.verb == "listInstances") return list_members(context, request, *found, target);
  return compute_reply(group_json(context, *found), group_schema, target);
}

}  // namespace

Reply answer_compute(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  if (auto refusal = refuse_compute_caller(context, request, route, target)) return *std::move(refusal);
  if (auto refusal = refuse_compute_query(route, target)) return *std::move(refusal);
  const bool is_group = route.collection != "instances";
  if (route.verb != "get" && route.verb != "list" && !(is_group && (route.verb == "listInstances" || route.verb == "aggregatedList"))) {
    return compute_error(501, "notImplemented", fmt::format("The simulated cloud is read-only: {} is not served.", route.name));
  }
  if (is_group) return answer_groups(context, request, route, target);
  return route.verb == "get" ? get_instance(context, route, target) : list_instances(context, route, target);
}

}  // namespace rollcall::sim
