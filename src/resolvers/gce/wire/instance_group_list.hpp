// Compute Engine's lists of instance groups: of a zone or a region (instanceGroups.list, regionInstanceGroups.list), and of all of them
// (instanceGroups.aggregatedList), chunk by chunk.
#pragma once

#include <cstdint>
#include <memory>
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

class InstanceGroupListParser {
 public:
  explicit InstanceGroupListParser(const ParseLimits& limits = {}) : InstanceGroupListParser(limits, false) {}
  ~InstanceGroupListParser();
  InstanceGroupListParser(InstanceGroupListParser&&) noexcept;
  InstanceGroupListParser& operator=(InstanceGroupListParser&&) noexcept;

  /// As JsonShapeParser. Errors: malformed_response also for a group whose name no group can have.
  Result<void> feed(std::string_view chunk);
  Result<void> finish();
  /// Valid after finish().
  InstanceGroupListPage& page();
  const std::string& next_page_token() { return page().next_page_token; }

 protected:
  InstanceGroupListParser(const ParseLimits& limits, bool is_aggregated);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// `items` by zone and region.
class AggregatedGroupsParser : public InstanceGroupListParser {
 public:
  explicit AggregatedGroupsParser(const ParseLimits& limits = {}) : InstanceGroupListParser(limits, true) {}
};

}  // namespace rollcall
