#include "fleet/rules/source_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/order.hpp"
#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

bool is_queued_resource(const Target& target) {
  return target.body.starts_with("qr/") || target.body.find("/queuedResources/") != std::string::npos;
}

// Of `projects/P/locations/Z/nodes/N`: what follows the collection's name; empty: it is no such name.
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

Target canonical_target(Target target) {
  const auto goes_before = [](const auto& a, const auto& b) {
    const bool is_job_a = a.first.starts_with("job.");
    const bool is_job_b = b.first.starts_with("job.");
    if (is_job_a != is_job_b) return is_job_b;
    return !is_job_a && a.first < b.first;
  };
  sort_stably(target.options, goes_before);
  return target;
}

std::string source_key(const Target& target) {
  if (target.scheme != "tpu" && target.scheme != "gce") return target.to_text();
  const std::string project = first_of(target.get("project").value_or(""), segment_after(target.body, "projects"));
  std::string zone = first_of(target.get("zone").value_or(""), segment_after(target.body, "locations"));
  if (zone.empty()) zone = target.get("region").value_or("");
  return fmt::format("{}/{}/{}", target.scheme, project, zone);
}

std::size_t requests_of_look(const Target& one_of_them, std::size_t targets) {
  constexpr std::size_t enough_for_a_list = 4;
  constexpr std::size_t nodes_a_page = 1000;
  if (one_of_them.scheme != "tpu" || is_queued_resource(one_of_them)) return 2 * targets;
  return targets < enough_for_a_list ? targets : 1 + targets / nodes_a_page;
}

}  // namespace rollcall::fleet
