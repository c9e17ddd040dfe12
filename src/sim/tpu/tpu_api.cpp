#include "sim/tpu/tpu_api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "sim/model/model.hpp"
#include "sim/wire/field_mask.hpp"
#include "sim/wire/responses.hpp"
#include "sim/wire/signed_in.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

namespace {

std::string grpc_method(const Route& route) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> names = {{{"nodes", "Node"},
                                                                                          {"queuedResources", "QueuedResource"},
                                                                                          {"acceleratorTypes", "AcceleratorType"},
                                                                                          {"runtimeVersions", "RuntimeVersion"},
                                                                                          {"tensorflowVersions", "TensorFlowVersion"}}};
  const auto known = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == route.collection; });
  const std::string_view noun = known == names.end() ? std::string_view("Resource") : known->second;
  std::string verb = route.verb;
  if (!verb.empty()) verb[0] = static_cast<char>(verb[0] - ('a' - 'A'));
  return fmt::format("google.cloud.tpu.{}.Tpu.{}{}{}", route.version, verb, noun, route.verb == "list" ? "s" : "");
}

std::optional<Reply> refuse_caller(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  const TokenVerdict verdict = judge_token(context, request, target.get("access_token").value_or(""));
  if (verdict == TokenVerdict::accepted) return std::nullopt;
  const bool is_missing = verdict == TokenVerdict::missing;
  const std::string_view reason = is_missing                         ? "CREDENTIALS_MISSING"
                                  : verdict == TokenVerdict::expired ? "ACCESS_TOKEN_EXPIRED"
                                                                     : "ACCESS_TOKEN_TYPE_UNSUPPORTED";
  json::array details{error_info(reason, "googleapis.com", {{"service", "tpu.googleapis.com"}, {"method", grpc_method(route)}})};
  const std::string_view message =
      is_missing ? "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid "
                   "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
                 : default_message(401);
  Reply reply = google_error(401, message, std::move(details));
  reply.headers.add("WWW-Authenticate", bearer_challenge(verdict));
  return reply;
}

bool is_project(const Context& context, std::string_view project) {
  if (project == context.model.project || project == context.model.project_number) return true;
  return std::any_of(context.model.nodes.begin(), context.model.nodes.end(), [&](const NodeModel& n) { return n.project == project; });
}

Reply permission_denied(const Route& route, std::string_view resource) {
  const std::string permission = fmt::format("tpu.{}.{}", route.collection, route.verb);
  return google_error(403, fmt::format("Permission '{}' denied on resource '{}' (or it may not exist).", permission, resource),
                      {error_info("IAM_PERMISSION_DENIED", "tpu.googleapis.com", {{"permission", permission}, {"resource", resource}})});
}

// The lists of nodes and queued resources support no filter and no order, but report unreachable zones. For catalogs it is the reverse.
bool is_catalog(const Route& route) { return route.collection != "nodes" && route.collection != "queuedResources"; }

std::optional<Reply> refuse_query(const Route& route, const ParsedTarget& target) {
  constexpr std::string_view common =
      "$.xgafv access_token alt callback fields key oauth_token prettyPrint quotaUser uploadType upload_protocol $alt $prettyPrint";
  const std::string_view of_lists = route.verb != "list" ? ""
                                    : is_catalog(route)  ? "pageSize pageToken filter orderBy"
                                                         : "pageSize pageToken";
  for (const auto& [key, value] : target.query) {
    if (names_word(common, key) || names_word(of_lists, key)) continue;
    const std::string description = fmt::format(
        "Invalid JSON payload received. Unknown name \"{}\": Cannot bind query parameter. Field '{}' could not be found in request "
        "message.",
        key, key);
    return invalid_argument({}, description, description);
  }
  const auto alt = target.get("alt");
  if (alt && *alt != "json") return google_error(400, fmt::format("Invalid value at 'alt': \"{}\"", *alt));
  return std::nullopt;
}

bool is_silent(const Context& context, std::string_view zone) {
  const auto& silent = context.model.unreachable_zones;
  return std::find(silent.begin(), silent.end(), zone) != silent.end();
}

}  // namespace

std::string project_id(const Context& context, const Route& route) {
  return route.project == context.model.project_number ? context.model.project : route.project;
}

std::optional<Reply> refuse_zone(const Context& context, const Route& route) {
  if (!is_silent(context, route.location)) return std::nullopt;
  return google_error(503, default_message(503));
}

bool is_listed_zone(const Context& context, const Route& route, std::string_view zone) {
  return route.location == "-" ? !is_silent(context, zone) : zone == route.location;
}

Reply tpu_list(const Context& context, const Route& route, const ParsedTarget& target, const std::vector<TpuItem>& items,
               std::string_view schema) {
  // A token contains the last item of the page before, so that items which come and go do not affect the others.
  const Reply refusal = google_error(400, default_message(400));
  std::size_t size = static_cast<std::size_t>(context.model.api.max_page_size);
  if (const auto text = target.get("pageSize")) {
    const auto wanted = parse_decimal<int>(*text, 0);
    if (!wanted) return refusal;
    if (*wanted > 0) size = std::min(size, static_cast<std::size_t>(*wanted));
  }
  auto item = items.begin();
  if (const auto token = target.get("pageToken"); token && !token->empty()) {
    const auto key = base64url_decode(*token);
    if (!key || !key->starts_with("after ")) return refusal;
    item = std::upper_bound(items.begin(), items.end(), key->substr(6), [](const std::string& k, const TpuItem& i) { return k < i.key; });
  }
  json::object out;
  json::array list;
  for (; item != items.end() && list.size() < size; ++item) list.push_back(item->show());
  const bool has_more = item != items.end() && !list.empty();
  put(out, route.collection, std::move(list));
  if (has_more) out["nextPageToken"] = base64url_encode("after " + std::prev(item)->key);
  const auto& silent = context.model.unreachable_zones;
  if (!is_catalog(route) && route.location == "-" && !silent.empty()) {
    json::array& unreachable = out["unreachable"].emplace_array();
    for (const std::string& zone : silent)
      unreachable.push_back(json::string(fmt::format("projects/{}/locations/{}", project_id(context, route), zone)));
  }
  return tpu_reply(out, fmt::format("{}({}),nextPageToken,unreachable", route.collection, schema), target);
}

Reply tpu_reply(const json::value& value, std::string_view schema, const ParsedTarget& target) {
  const auto pretty = target.get("prettyPrint");
  const bool is_pretty = !(pretty && (*pretty == "false" || *pretty == "0"));
  const auto fields = target.get("fields");
  if (!fields || fields->empty()) return json_reply(value, is_pretty);
  const auto mask = FieldMask::parse(*fields);
  if (!mask) return invalid_argument("fields", fmt::format("Error expanding 'fields' parameter. Invalid field mask '{}'.", *fields));
  if (const auto unknown = mask->first_unknown(*FieldMask::parse(schema))) {
    return invalid_argument("fields",
                            fmt::format("Error expanding 'fields' parameter. Cannot find matching fields for path '{}'.", *unknown));
  }
  return json_reply(mask->apply(value), is_pretty);
}

Reply answer_tpu(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  if (auto refusal = refuse_caller(context, request, route, target)) return *std::move(refusal);
  if (auto refusal = refuse_query(route, target)) return *std::move(refusal);
  if (!is_project(context, route.project)) {
    std::string resource = "projects/" + route.project;
    if (!route.location.empty()) resource += "/locations/" + route.location;
    if (route.collection != "locations" && !route.item.empty()) resource += "/" + route.collection + "/" + route.item;
    return permission_denied(route, resource);
  }
  if (lacks_permission(context, request, fmt::format("tpu.{}.{}", route.collection, route.verb))) {
    return permission_denied(route, target.path.substr(route.version.size() + 2));
  }
  if (route.verb != "get" && route.verb != "list") {
    return google_error(501, fmt::format("The simulated cloud is read-only: {} is not served.", route.name));
  }
  if (route.collection == "queuedResources") return answer_queued_resources(context, route, target);
  if (route.collection != "nodes") return answer_tpu_catalog(context, route, target);
  const auto show = [&](const NodeModel& node, const NodeMoment& moment) {
    return node_json(node, moment, route.version, context.model.start_time);
  };
  return answer_things(context, route, target, context.model.nodes, node_schema(route.version), show);
}

}  // namespace rollcall::sim
