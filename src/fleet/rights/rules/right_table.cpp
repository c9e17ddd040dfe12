#include "fleet/rights/rules/right_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cluster/namespace_name.hpp"
#include "fleet/rights/rules/certificate_pattern.hpp"

namespace rollcall::fleet {
namespace {

bool is_among(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string one_item(const Target& target, std::string_view key) {
  const auto found = std::find_if(target.options.begin(), target.options.end(), [key](const auto& option) { return option.first == key; });
  return found != target.options.end() && found->second.size() == 1 ? found->second.front() : std::string();
}

}  // namespace

std::string client_name_of(const FleetClients& clients) {
  return clients.as.empty() ? std::string(client_methods.at(static_cast<std::size_t>(clients.method))) : clients.as;
}

bool is_in_place(const FleetPlace& place, const Target& asked) {
  if (asked.scheme != place_kinds.at(static_cast<std::size_t>(place.kind))) return false;
  if (place.kind == FleetPlace::Kind::kubernetes) {
    const std::string_view within = namespace_in(asked);
    const bool is_here = is_among(place.namespaces, within) || (is_among(place.namespaces, "-") && !within.empty());
    return is_here && asked.get("context").value_or("") == place.context;
  }
  // What belongs to certain users or partitions shows only in Slurm's answer.
  if (place.kind == FleetPlace::Kind::slurm)
    return place.users.empty() && place.partitions.empty() && asked.get("cluster").value_or("") == place.cluster;
  if (place.project.empty()) return false;
  const Target target = with_plain_name(asked);
  if (one_item(target, "project") != place.project) return false;
  return place.zones.empty() || (is_among(place.zones, one_item(target, "zone")) && !target.get("region"));
}

bool RightTable::means(const RightRow& row, std::string_view who) const {
  const std::string start = certificates_as + ":";
  if (certificates_as.empty() || !who.starts_with(start)) return glob_match(row.who, who);
  const std::string_view pattern = row.who;
  const std::size_t colon = pattern.find(':');
  if (colon == std::string_view::npos) return pattern.ends_with('*') && glob_match(pattern, start);  // all of them: `*`, `cert*`
  return glob_match(pattern.substr(0, colon), certificates_as) &&
         matches_certificate_name(pattern.substr(colon + 1), who.substr(start.size()));
}

bool RightTable::mentions(std::string_view who) const {
  return std::any_of(rows.begin(), rows.end(), [&](const RightRow& row) { return means(row, who); });
}

bool RightTable::may_read(std::string_view who, const Target& target) const {
  if (!distinguishes_clients) return true;
  if (who.empty()) return false;
  return std::any_of(rows.begin(), rows.end(), [&](const RightRow& row) { return means(row, who) && matches_any(row.read, target); });
}

bool RightTable::has_flag(std::string_view who, bool RightRow::* right) const {
  if (!distinguishes_clients) return true;
  if (who.empty()) return false;
  return std::any_of(rows.begin(), rows.end(), [&](const RightRow& row) { return row.*right && means(row, who); });
}

bool RightTable::is_allowed(const Target& target) const {
  if (allowed.empty() && !distinguishes_clients) return true;
  const auto allows = [&target](const TargetPattern& pattern) {
    return pattern.matches(target) && (!names_hosts(target.scheme) || pattern.names_something());
  };
  if (std::any_of(allowed.begin(), allowed.end(), allows)) return true;
  return std::any_of(followed.begin(), followed.end(), [&target](const FleetPlace& place) { return is_in_place(place, target); });
}

Result<std::vector<TargetPattern>> parse_patterns(const std::vector<std::string>& texts, std::string_view path) {
  std::vector<TargetPattern> patterns;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Result<TargetPattern> pattern = TargetPattern::parse(texts[i]);
    if (!pattern) {
      Failure failure = pattern.error();
      failure.with_what(fmt::format("{}[{}]: {}", path, i, failure.what()));
      return failure;
    }
    patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

}  // namespace rollcall::fleet
