// The Compute Engine API, v1: instances and instance groups. Read-only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/sim/cloud.hpp"
#include "sim/compute/compute_filter.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

Reply answer_compute(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);

/// `{"error": {"code": …, "message": …, "errors": [{"message", "domain", "reason"}]}}`. `further` adds fields to the entry of `errors`.
Reply compute_error(int status, std::string_view reason, std::string_view message, json::object further = {});
/// The error of a fault rule. An empty reason or message follows from the status.
Reply scripted_compute_error(int status, std::string_view reason, std::string_view message);

/// Applies the `fields` mask over `schema`, and prettyPrint.
Reply compute_reply(const json::value& value, std::string_view schema, const ParsedTarget& target);

/// `https://www.googleapis.com/compute/v1/projects/P/` followed by `path`.
std::string compute_url(const Context& context, std::string_view path);

/// An instance as the API shows it. `moment` is an entry of its timeline.
json::object instance_json(const Context& context, const ComputeInstance& instance, const ComputeMoment& moment);
/// The fields of an instance that a mask can select.
extern const std::string_view instance_schema;

/// The content of a list: its items, rendered only when their page is requested, and the warning.
struct Listing {
  std::vector<std::pair<std::string, std::size_t>> items;  // by the key that defines the order and is in page tokens
  std::function<json::object(std::size_t)> show;
  json::object warning;

  void add(std::string key, std::size_t number, const ComputeFilter& filter) {
    if (filter.is_open() || filter.matches(show(number))) items.emplace_back(std::move(key), number);
  }
};

/// 400 for an invalid value of a parameter.
Reply bad_parameter(std::string_view name, std::string_view value);

/// One page of the listing, in the form of all lists of the API.
Reply compute_list_reply(const Context& context, std::string_view kind, const std::string& path, std::string_view item_schema,
                         Listing listing, const ParsedTarget& target);

/// One page of an aggregated list: items under `place(number)`; all other zones and regions have a warning.
Reply compute_scopes_reply(const Context& context, std::string_view collection, std::string_view item_schema, Listing listing,
                           const std::function<std::string(std::size_t)>& place, const ParsedTarget& target);

}  // namespace rollcall::sim
