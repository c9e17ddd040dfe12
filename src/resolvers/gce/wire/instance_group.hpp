// One page of Compute Engine's instanceGroups.listInstances and regionInstanceGroups.listInstances, chunk by chunk.
#pragma once

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

}  // namespace rollcall
