// Parsers for Compute Engine's instance groups, chunk by chunk: the members of one (instanceGroups.listInstances,
// regionInstanceGroups.listInstances), and lists of groups: of a zone or region (instanceGroups.list, regionInstanceGroups.list), and of
// all (instanceGroups.aggregatedList).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resolvers/gce/wire/list_warning.hpp"

namespace rollcall {

class InstanceGroupMember {
 public:
  InstanceGroupMember() {}
  std::string name;    ///< the last segment of the instance's URL
  std::string zone;    ///< of the URL; empty when it has none
  std::string status;  ///< RUNNING, …
  std::vector<std::pair<std::string, std::string>> named_ports;  ///< name and number; the number is not checked here
  friend bool operator==(const InstanceGroupMember&, const InstanceGroupMember&) = default;
};

class InstanceGroupPage {
 public:
  InstanceGroupPage() {}
  std::vector<InstanceGroupMember> members;  ///< in the page's order; an absent `items` is an empty page [facts: compute-empty-page]
  std::string next_page_token;               ///< empty: the last page
  ListWarning warning;
  friend bool operator==(const InstanceGroupPage&, const InstanceGroupPage&) = default;
};

/// Errors: also malformed_response for an instance without a URL, an invalid instance name, and a named port without a name or a
/// number.
extern const JsonForm<InstanceGroupPage> instance_group_form;
using InstanceGroupParser = PageParser<InstanceGroupPage, instance_group_form>;

/// A page that is already in memory.
Result<InstanceGroupPage> parse_instance_group(std::string_view json, const ParseLimits& limits = {});

class InstanceGroup {
 public:
  InstanceGroup() {}
  std::string name;
  std::string zone;    ///< the last segment of the zone's URL; empty for a regional group
  std::string region;  ///< the last segment of the region's URL; empty for a zonal group
  std::int64_t size = 0;
  std::string first_named_port;  ///< the name of its first named port
  friend bool operator==(const InstanceGroup&, const InstanceGroup&) = default;
};

class InstanceGroupListPage {
 public:
  InstanceGroupListPage() {}
  std::vector<InstanceGroup> groups;
  std::string next_page_token;
  std::vector<ListWarning> warnings;  ///< the serious warnings of the list and of its zones and regions
  friend bool operator==(const InstanceGroupListPage&, const InstanceGroupListPage&) = default;
};

/// Errors: also malformed_response for an invalid group name.
extern const JsonForm<InstanceGroupListPage> instance_group_list_form;
extern const JsonForm<InstanceGroupListPage> aggregated_groups_form;  ///< `items` keyed by zone and region
using InstanceGroupListParser = PageParser<InstanceGroupListPage, instance_group_list_form>;
using AggregatedGroupsParser = PageParser<InstanceGroupListPage, aggregated_groups_form>;

}  // namespace rollcall
