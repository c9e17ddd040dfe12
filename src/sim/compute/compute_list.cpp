// The lists of the simulated Compute Engine: pages of one place, or of all places.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "sim/compute/compute_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view compute_list_schema = "nextPageToken,kind,id,selfLink,warning(code,message,data(key,value))";

struct ComputePage {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string next_token;
  std::optional<Reply> refusal;
};

// Sorts the listing and keeps the requested page.
ComputePage cut_page(const Context& context, Listing& listing, const ParsedTarget& target) {
  ComputePage page;
  std::size_t size = static_cast<std::size_t>(context.model.compute.max_page_size);
  if (const auto text = target.get("maxResults")) {
    const auto wanted = parse_decimal<std::size_t>(*text, 0, 500);
    if (!wanted) page.refusal = bad_parameter("maxResults", *text);
    if (wanted && *wanted > 0) size = std::min(size, *wanted);
  }
  std::sort(listing.items.begin(), listing.items.end());
  if (const auto token = target.get("pageToken"); token && !token->empty()) {
    const auto key = base64url_decode(*token);
    if (!key || !key->starts_with("after ")) {
      page.refusal = bad_parameter("pageToken", *token);
      return page;
    }
    const auto begin = std::upper_bound(listing.items.begin(), listing.items.end(), key->substr(6),
                                        [](const std::string& k, const auto& item) { return k < item.first; });
    page.first = static_cast<std::size_t>(begin - listing.items.begin());
  }
  page.last = std::min(listing.items.size(), page.first + size);
  if (page.last < listing.items.size()) page.next_token = base64url_encode("after " + listing.items[page.last - 1].first);
  return page;
}

json::object scope_warning(std::string_view code, const std::string& message, const std::string& place) {
  return {{"warning", {{"code", code}, {"message", message}, {"data", json::array{json::object{{"key", "scope"}, {"value", place}}}}}}};
}

// Every zone and region of the project with the warning for an empty place.
json::object empty_scopes(const Context& context) {
  json::object scopes;
  for (const std::string& zone : context.model.zones) {
    for (const std::string& place : {"regions/" + zone.substr(0, zone.rfind('-')), "zones/" + zone}) {
      scopes[place] = scope_warning("NO_RESULTS_ON_PAGE", fmt::format("There are no results for scope '{}' on this page.", place), place);
    }
  }
  for (const std::string& zone : context.model.unreachable_zones) {
    scopes["zones/" + zone] = scope_warning("UNREACHABLE", "The zone is currently unreachable.", "zones/" + zone);
  }
  return scopes;
}

}  // namespace

Reply bad_parameter(std::string_view name, std::string_view value) {
  return compute_error(400, "invalid", fmt::format("Invalid value for field '{}': '{}'.", name, value),
                       {{"locationType", "parameter"}, {"location", name}});
}

Reply compute_list_reply(const Context& context, std::string_view kind, const std::string& path, std::string_view item_schema,
                         Listing listing, const ParsedTarget& target) {
  ComputePage page = cut_page(context, listing, target);
  if (page.refusal) return *std::move(page.refusal);
  json::object out{{"kind", kind}, {"id", "projects/" + context.model.project + "/" + path}};
  json::array items;
  for (std::size_t i = page.first; i < page.last; ++i) items.emplace_back(listing.show(listing.items[i].second));
  put(out, "items", std::move(items));
  put(out, "nextPageToken", page.next_token);
  out["selfLink"] = compute_url(context, path);
  put(out, "warning", std::move(listing.warning));
  return compute_reply(out, fmt::format("items({}),{}", item_schema, compute_list_schema), target);
}

Reply compute_scopes_reply(const Context& context, std::string_view collection, std::string_view item_schema, Listing listing,
                           const std::function<std::string(std::size_t)>& place, const ParsedTarget& target) {
  ComputePage page = cut_page(context, listing, target);
  if (page.refusal) return *std::move(page.refusal);
  json::object scopes = empty_scopes(context);
  for (std::size_t i = page.first; i < page.last; ++i) {
    json::value& found = scopes[place(listing.items[i].second)];
    if (!found.is_object()) found = json::object();
    json::object& scope = found.as_object();
    scope.erase("warning");
    if (!scope.contains(collection)) scope[collection] = json::array();
    scope[collection].as_array().emplace_back(listing.show(listing.items[i].second));
  }
  const std::string path = fmt::format("aggregated/{}", collection);
  json::object out{{"kind", "compute#instanceGroupAggregatedList"},
                   {"id", "projects/" + context.model.project + "/" + path},
                   {"items", std::move(scopes)}};
  put(out, "nextPageToken", page.next_token);
  out["selfLink"] = compute_url(context, path);
  return compute_reply(
      out, fmt::format("items/*({}({}),warning(code,message,data(key,value))),{}", collection, item_schema, compute_list_schema), target);
}

}  // namespace rollcall::sim
