// Compute Engine's lists of instance groups: of a zone or a region (instanceGroups.list, regionInstanceGroups.list), and of all of them
// (instanceGroups.aggregatedList), chunk by chunk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/gce/wire/list_warning.hpp"

namespace rollcall {

class InstanceGroup {
 public:
  InstanceGroup() {}
  std::string name;
  std::string zone;    ///< the last segment of the zone's URL; empty for a regional group
  std::string region;  ///< the same of the region's
  std::int64_t size = 0;
  std::string first_named_port;  ///< its name
  friend bool operator==(const InstanceGroup&, const InstanceGroup&) = default;
};

class InstanceGroupListPage {
 public:
  InstanceGroupListPage() {}
  std::vector<InstanceGroup> groups;
  std::string next_page_token;
  std::vector<ListWarning> warnings;  ///< the serious ones: of the list, or of its zones and regions
  friend bool operator==(const InstanceGroupListPage&, const InstanceGroupListPage&) = default;
};

/// Errors: malformed_response also for a group whose name no group can have.
extern const JsonForm<InstanceGroupListPage> instance_group_list_form;
extern const JsonForm<InstanceGroupListPage> aggregated_groups_form;  ///< `items` by zone and region
using InstanceGroupListParser = PageParser<InstanceGroupListPage, instance_group_list_form>;
using AggregatedGroupsParser = PageParser<InstanceGroupListPage, aggregated_groups_form>;

}  // namespace rollcall
