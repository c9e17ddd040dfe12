#include "resolvers/kubernetes/chain/wire/largest_nodes.hpp"

#include "json/json_dom.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {

Result<void> add_nodes(LargestNodes& largest, std::string_view json, const ParseLimits& limits) {
  constexpr std::size_t max_resources = 1000;
  const Result<JsonDocument> document = JsonDocument::parse("the list of nodes", json, limits);
  if (!document) return document.error();
  const boost::json::array* const items = array_at(document->root(), "items");
  if (!items) return Failure(Errc::malformed_response, "the list of nodes has no items");
  for (const boost::json::value& item : *items) {
    ++largest.nodes;
    const boost::json::value* const status = find(item, "status");
    if (!status) continue;
    for (const auto& [resource, quantity] : resources_at(*status, "allocatable")) {
      const std::optional<std::int64_t> count = whole_devices(quantity);
      if (resource.find('/') == std::string::npos || !count) continue;
      if (largest.by_resource.size() >= max_resources && !largest.by_resource.contains(resource)) continue;
      LargestNode& most = largest.by_resource[resource];
      if (*count <= most.count) continue;
      most.count = *count;
      most.node = text_at(item, "metadata", "name", max_name_text);
    }
  }
  largest.next_page = text_at(document->root(), "metadata", "continue", 4096);
  return {};
}

}  // namespace rollcall
