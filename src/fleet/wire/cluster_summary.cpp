#include "fleet/wire/cluster_summary.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/text.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"
#include "rollcall/scheme_rules.hpp"

namespace rollcall {

std::string_view to_string(ClusterStanding standing) noexcept {
  switch (standing) {
    case ClusterStanding::ready: return "ready";
    case ClusterStanding::incomplete: return "incomplete";
    case ClusterStanding::provisioning: return "provisioning";
    case ClusterStanding::queued: return "queued";
    case ClusterStanding::unknown: return "unknown";
    case ClusterStanding::failed: break;
  }
  return "failed";
}

}  // namespace rollcall

namespace rollcall::fleet {
namespace {

class SentClusters {
 public:
  std::vector<FleetCluster> clusters;
};

template <std::string FleetCluster::* Part>
std::string set_summary_text(FleetCluster& raw, std::string_view text) {
  raw.*Part = printable_line(text);
  return {};
}
std::string set_summary_standing(FleetCluster& raw, std::string_view word) {
  const auto standing = value_named<ClusterStanding>(word, 0, static_cast<std::size_t>(ClusterStanding::failed) + 1);
  raw.standing = standing.value_or(ClusterStanding::unknown);  // a later version's word
  return {};
}
std::string set_summary_phase(FleetCluster& raw, std::string_view word) {
  const auto phase = value_named<ClusterPhase>(word, 0, 3);
  if (!phase) return fmt::format("is {}, no phase of a cluster", quoted(word, 64));
  raw.phase = *phase;
  return {};
}
template <auto Part>
std::string set_summary_count(FleetCluster& raw, std::int64_t number) {
  if (number < 0 || number > std::numeric_limits<int>::max()) return fmt::format("is {}, out of range", number);
  raw.*Part = static_cast<std::remove_reference_t<decltype(raw.*Part)>>(number);
  return {};
}
std::string set_summary_age(FleetCluster& raw, std::int64_t milliseconds) { return set_raw_age(raw.age, milliseconds); }
std::string check_summary(FleetCluster& raw) { return raw.target.empty() ? "has no target" : std::string(); }

// clang-format off
constexpr auto summary_fields = json_object<FleetCluster, check_summary>(
    text_field<set_summary_text<&FleetCluster::target>>("target"),
    text_field<set_summary_text<&FleetCluster::place>>("place"),
    text_field<set_summary_text<&FleetCluster::type>>("type"),
    text_field<set_summary_standing>("standing"),
    text_field<set_summary_phase>("phase"),
    text_field<set_summary_text<&FleetCluster::state>>("state"),
    integer_field<set_summary_count<&FleetCluster::ready>>("ready"),
    integer_field<set_summary_count<&FleetCluster::total>>("total"),
    text_field<set_summary_text<&FleetCluster::missing>>("missing"),
    text_field<set_summary_text<&FleetCluster::trouble>>("trouble"),
    integer_field<set_summary_age>("age_ms"),
    integer_field<set_summary_count<&FleetCluster::generation>>("generation"),
    integer_field<set_summary_count<&FleetCluster::followers>>("followers"));
constexpr auto cluster_list_fields = json_object<SentClusters>(
    array_field<&SentClusters::clusters, summary_fields>("clusters"));
// clang-format on

constexpr JsonForm<SentClusters> cluster_list_form = json_form<cluster_list_fields>("the service's list of clusters");

}  // namespace

std::string place_of(const Target& target) {
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  if (rules && rules->place == SchemePlace::namespace_name) {
    const std::string context = target.get("context").value_or("");
    return context.empty() ? target.body : target.body + " at " + context;
  }
  for (const char* const key : {"zone", "region"}) {
    const std::string value = target.get(key).value_or("");
    if (!value.empty()) return value;
  }
  return {};
}

Result<std::vector<FleetCluster>> parse_cluster_list(std::string_view json, const ParseLimits& limits) {
  Result<SentClusters> raw = read_json(cluster_list_form, json, limits);
  if (!raw) return raw.error();
  return std::move(raw->clusters);
}

}  // namespace rollcall::fleet
