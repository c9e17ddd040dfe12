#include "fleet/rules/source_key.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "readiness/rules/poll_pace.hpp"
#include "rollcall/scheme_rules.hpp"

namespace rollcall::fleet {
namespace {

bool lies_in(SchemePlace place, std::string_view scheme) {
  const SchemeRules* const rules = find_scheme_rules(scheme);
  return rules && rules->place == place;
}

bool lies_in_zone(std::string_view scheme) { return lies_in(SchemePlace::zone, scheme); }

// The text after the collection's name in `projects/P/locations/Z/nodes/N`; empty: `name` has another form.
std::string segment_after(std::string_view name, std::string_view collection) {
  std::string_view before;
  for (const std::string_view segment : split(name, '/')) {
    if (before == collection) return std::string(segment);
    before = segment;
  }
  return {};
}

std::string first_of(std::string one, std::string other) { return one.empty() ? std::move(other) : std::move(one); }

}  // namespace

std::string source_key(const Target& target) {
  if (is_of_cluster(target)) return fmt::format("{}/{}", target.scheme, target.get("cluster").value_or(""));
  if (!lies_in_zone(target.scheme)) return target.to_text();
  const std::string project = first_of(target.get("project").value_or(""), segment_after(target.body, "projects"));
  std::string zone = first_of(target.get("zone").value_or(""), segment_after(target.body, "locations"));
  if (zone.empty()) zone = target.get("region").value_or("");
  return fmt::format("{}/{}/{}", target.scheme, project, zone);
}

bool is_of_cluster(const Target& target) { return lies_in(SchemePlace::cluster, target.scheme); }

std::string resource_of(const Target& target) {
  if (is_of_cluster(target)) return source_key(target) + "/" + target.body;
  if (!lies_in_zone(target.scheme)) return target.scheme + ":" + target.body;
  return source_key(target) + "/" + target.body.substr(target.body.rfind('/') + 1);
}

std::string quota_key(std::string_view source) {
  const bool has_project = lies_in_zone(source.substr(0, source.find('/')));
  return std::string(has_project ? source.substr(0, source.rfind('/')) : source);
}

std::string project_of(std::string_view source) {
  const std::string key = quota_key(source);
  return key.size() == source.size() ? std::string() : key.substr(key.find('/') + 1);
}

bool is_node(const Target& target) {
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  return rules && rules->is_listed && rules->is_listed(target);
}

std::size_t requests_of_poll(std::size_t nodes, std::size_t others) {
  constexpr std::size_t nodes_a_page = 1000;
  return 2 * others + (nodes < enough_for_a_list ? nodes : 1 + nodes / nodes_a_page);
}

}  // namespace rollcall::fleet
