// The lists of the simulated Compute Engine: pages of one place, or of all places.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/compute/compute_filter.hpp"
#include "sim/compute/compute_responses.hpp"

namespace rollcall::sim {

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
