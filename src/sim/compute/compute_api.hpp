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

/// `{"error": {"code": …, "message": …, "errors": [{"message", "domain", "reason"}]}}`; further fields of the one error as given.
Reply compute_error(int status, std::string_view reason, std::string_view message, json::object further = {});
/// The error that a script asks for; reason and message by the status when they are empty.
Reply scripted_compute_error(int status, std::string_view reason, std::string_view message);

/// The `fields` mask over `schema`, prettyPrint.
Reply compute_reply(const json::value& value, std::string_view schema, const ParsedTarget& target);

/// `https://www.googleapis.com/compute/v1/projects/P/` and what is below.
std::string compute_url(const Context& context, std::string_view path);

/// An instance as the API shows it. `moment` is one of its timeline.
json::object instance_json(const Context& context, const ComputeInstance& instance, const ComputeMoment& moment);
/// What can be selected of an instance.
extern const std::string_view instance_schema;

/// What a list answers with: its items, shown only when their page is asked for, and the warning.
struct Listing {
  std::vector<std::pair<std::string, std::size_t>> items;  // by a key that the order and page tokens go by
  std::function<json::object(std::size_t)> show;
  json::object warning;

  void add(std::string key, std::size_t number, const ComputeFilter& filter) {
    if (filter.is_open() || filter.matches(show(number))) items.emplace_back(std::move(key), number);
  }
};

/// 400 for a parameter's value.
Reply bad_parameter(std::string_view name, std::string_view value);

/// One page of the listing, as every list of the API has them.
Reply compute_list_reply(const Context& context, std::string_view kind, const std::string& path, std::string_view item_schema,
                         Listing listing, const ParsedTarget& target);

/// One page of an aggregated list: items by the place that `place` gives for their number; all other zones and regions have a warning.
Reply compute_scopes_reply(const Context& context, std::string_view collection, std::string_view item_schema, Listing listing,
                           const std::function<std::string(std::size_t)>& place, const ParsedTarget& target);

}  // namespace rollcall::sim
