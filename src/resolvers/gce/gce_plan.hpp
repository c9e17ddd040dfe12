// Which instance group is meant and where its API is, as far as options and environment say. Pure.
#pragma once

#include <string>

#include "resolvers/gce/wire/instance_group.hpp"
#include "rollcall/gce_resolver.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/surroundings.hpp"

namespace rollcall {

class GcePlan {
 public:
  GcePlan() {}
  std::string group;
  std::string project;  ///< empty: ask the metadata server
  std::string zone;     ///< the same, unless there is a region
  std::string region;
  Url root;             ///< `https://compute.googleapis.com/compute/v1/`: a path follows

  /// How messages name it: `instance group 'workers'`.
  std::string who() const;
  /// The same of one of its members: `instance group 'workers': instance 'worker-0'`.
  std::string who(const InstanceGroupMember& member) const;
  /// `root/projects/P/…`
  Url url(std::string_view path) const;
};

/// The API's root: `endpoint`, CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE, or Google's. gcloud's override is the root with its version; a
/// bare host is taken for one that has the usual paths. Errors: invalid_argument.
Result<Url> gce_root(std::string endpoint, const Environment& environment);

/// Errors: invalid_argument (no group, no port, zone and region at once, names that no URL can have, an endpoint that is none).
Result<GcePlan> plan_gce(const GceOptions& options, const Environment& environment);

}  // namespace rollcall
