// Which group is meant (the plan, pure), asking Compute Engine who is in it and what the members' instances are, and their addresses
// (pure).
//
// Decision: get up to 256 members, list beyond. Upstream asks instances.get for each member, one after another. Side by side, 64 at once,
// a group of up to 64 takes one round trip whichever way; beyond, get needs one more for every 64 members, and one request of the
// project's rate quota per member, where instances.list answers for a hundred or more in one. Measured at 50 ms
// an answer (scripts/bench groups): 1,000 members take 1.0 s and 1,002 requests by get, 0.16 s and 10 requests by list. Price of list:
// another permission (compute.instances.list), and a filter that grows with the names; hence get where it costs next to nothing.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <vector>

#include "resolvers/gce/wire/instance_group.hpp"
#include "resolvers/gce/wire/instance_list.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/gce_resolver.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

/// Where the Compute Engine API is.
class ComputeRoot {
 public:
  ComputeRoot() {}
  Url url;                  ///< `https://compute.googleapis.com/compute/v1/`: a path follows
  bool is_default = false;  ///< nobody names it: it is that of the credentials' universe
};

/// Which instance group is meant and where its API is, as far as options and environment say.
class GcePlan {
 public:
  GcePlan() {}
  std::string group;
  std::string project;  ///< empty: to be found, see cloud_place.hpp
  std::string zone;     ///< the same, unless there is a region
  std::string region;
  ComputeRoot root;

  /// How messages name it: `instance group 'workers'`.
  std::string who() const;
  /// The same of one of its members: `instance group 'workers': instance 'worker-0'`.
  std::string who(const InstanceGroupMember& member) const;
  /// `root/projects/P/…`
  Url url(std::string_view path) const;
};

/// The options of a `gce:` target whose keys are known ones. Errors: invalid_argument.
Result<GceOptions> gce_options(const Target& target);

/// The API's root: `endpoint`, CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE, or Google's. gcloud's override is the root with its version; a
/// bare host is taken for one that has the usual paths. Errors: invalid_argument.
Result<ComputeRoot> gce_root(std::string endpoint, const Environment& environment);
/// The same in the credentials' universe where it is the default. Errors: as find_universe.
asio::awaitable<Result<Url>> find_compute(Call& call, ComputeRoot root);

/// Errors: invalid_argument (no group, no port, zone and region at once, names that no URL can have, an endpoint that is none).
Result<GcePlan> plan_gce(const GceOptions& options, const Environment& environment);

/// Which members are meant.
enum class GceMembers {
  running,  ///< as upstream has it
  all,      ///< those that are being made, repaired or stopped, too
};

/// The group's members, all pages, in the API's order. `plan` is complete. Errors: not_found, permission_denied, …,
/// malformed_response (a page token that comes twice), limit_exceeded, unavailable for a list that calls itself incomplete.
asio::awaitable<Result<std::vector<InstanceGroupMember>>> list_members(Call& call, const GcePlan& plan, const GceOptions& options,
                                                                       GceMembers which = GceMembers::running);

/// A member and its instance.
class GceInstance {
 public:
  GceInstance() {}
  InstanceGroupMember member;
  Instance instance;
};

/// What becomes of a member that is gone since the group was listed.
enum class GoneMember {
  fails,     ///< an error (not_found), unless options.allow_partial()
  left_out,  ///< it is no member any more
};

/// The members' instances, in the members' order, by options.lookup(). Members that are gone are left out, or an error.
asio::awaitable<Result<std::vector<GceInstance>>> look_up_members(Call& call, const GcePlan& plan, const GceOptions& options,
                                                                  std::vector<InstanceGroupMember> members,
                                                                  GoneMember gone = GoneMember::fails);

/// True if a member's machine is running, as far as its list or its instance says.
bool is_running(const InstanceGroupMember& member) noexcept;

/// How the group stands: its running members at `addresses`, as in the spec, and behind them `others`, without addresses, with the
/// service's word for each. A group without members is waited for. Pure.
ClusterStatus gce_status(const std::string& job, std::vector<std::string> addresses, std::vector<InstanceGroupMember> others);

// What becomes of answers that are not whole.

/// Says whom an answer that cannot be used is about, and who gave it.
Failure gce_failure(std::string_view who, Failure failure, const std::string& asked);

/// A list that calls itself incomplete: an error (unavailable), or, where the user takes partial answers, a log event.
Result<void> judge_warning(Call& call, const GcePlan& plan, const GceOptions& options, const ListWarning& warning,
                           const std::string& asked);

/// A member that is not there any more: an event in the log.
void report_missing(Call& call, const GcePlan& plan, const Failure& failure);

/// `ip:port` of each, in options.order(). Errors: malformed_response (a running instance without the interface or the address),
/// not_ready (one that is not running any more, without address), not_found (no such named port, no such interface).
Result<std::vector<std::string>> gce_addresses(const GcePlan& plan, const GceOptions& options, std::vector<GceInstance> instances);

}  // namespace rollcall
