// Compute Engine's instance groups, chunk by chunk: who is in one (instanceGroups.listInstances, regionInstanceGroups.listInstances), and
// lists of them: of a zone or a region (instanceGroups.list, regionInstanceGroups.list), and of all (instanceGroups.aggregatedList).
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
  std::vector<std::pair<std::string, std::string>> named_ports;  ///< name and number; whether that is a port is for who wants it
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

/// Errors: malformed_response also for an instance without a URL, a name that no instance can have, and a named port without a name or a
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
