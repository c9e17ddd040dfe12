// Instance groups of Compute Engine: the plan (which group; pure), the requests for the members and their instances, and the addresses
// (pure).
//
// Decision: get up to 256 members, list beyond. Upstream sends instances.get for one member after another. With 64 requests in flight,
// a group of up to 64 takes one round trip either way. Beyond that, get needs one more round trip for every 64 members and one request of
// the project's rate quota per member, while one instances.list answers for a hundred members or more. Measured at 50 ms
// an answer (scripts/bench groups): 1,000 members take 1.0 s and 1,002 requests by get, 0.16 s and 10 requests by list. Price of list:
// another permission (compute.instances.list), and a filter that grows with the names. Hence get where it costs next to nothing.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
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

/// The root URL of the Compute Engine API.
class ComputeRoot {
 public:
  ComputeRoot() {}
  Url url;                  ///< `https://compute.googleapis.com/compute/v1/`: a path follows
  bool is_default = false;  ///< not configured: the root is that of the credentials' universe
};

/// The instance group and its API, as far as options and environment name them.
class GcePlan {
 public:
  GcePlan() {}
  std::string group;
  std::string project;  ///< empty: found later, see cloud_place.hpp
  std::string zone;     ///< empty: found later, unless there is a region
  std::string region;
  ComputeRoot root;

  /// The group's name in messages: `instance group 'workers'`.
  std::string who() const;
  /// A member's name in messages: `instance group 'workers': instance 'worker-0'`.
  std::string who(const InstanceGroupMember& member) const;
  /// `root/projects/P/…`
  Url url(std::string_view path) const;
};

/// The options of a `gce:` target whose keys have been checked. Errors: invalid_argument.
Result<GceOptions> gce_options(const Target& target);

/// The API's root: `endpoint`, CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE, or Google's. gcloud's override is the root with its version. A
/// bare host is taken as a host with the usual paths. Errors: invalid_argument.
Result<ComputeRoot> gce_root(std::string endpoint, const Environment& environment);
/// The same root; a default root is that of the credentials' universe. Errors: as find_universe.
asio::awaitable<Result<Url>> find_compute(Call& call, ComputeRoot root);

/// Errors: invalid_argument (no group, no port, both zone and region, a name that is invalid in a URL, an invalid endpoint).
Result<GcePlan> plan_gce(const GceOptions& options, const Environment& environment);

/// The members that a list includes.
enum class GceMembers {
  running,  ///< as upstream
  all,      ///< also members that are being created, repaired or stopped
};

/// The group's members, all pages, in the API's order. `plan` is complete. Errors: not_found, permission_denied, …,
/// malformed_response (a page token that occurs twice), limit_exceeded, unavailable for a list that declares itself incomplete.
asio::awaitable<Result<std::vector<InstanceGroupMember>>> list_members(Call& call, const GcePlan& plan, const GceOptions& options,
                                                                       GceMembers which = GceMembers::running);

/// A member and its instance.
class GceInstance {
 public:
  GceInstance() {}
  InstanceGroupMember member;
  Instance instance;
};

/// The treatment of a member that was deleted after the group was listed.
enum class GoneMember {
  fails,     ///< an error (not_found), unless options.allow_partial()
  left_out,  ///< it no longer counts as a member
};

/// What is requested of each instance.
enum class GceDetails {
  addresses,  ///< what a spec needs
  hardware,   ///< the machine type and the accelerators, too
};

/// The members' instances, in the members' order, by options.lookup(). Deleted members are left out or an error, by `gone`.
asio::awaitable<Result<std::vector<GceInstance>>> look_up_members(Call& call, const GcePlan& plan, const GceOptions& options,
                                                                  std::vector<InstanceGroupMember> members, GceDetails details,
                                                                  GoneMember gone = GoneMember::fails);

/// True if a member's machine is running, by its list or its instance.
bool is_running(const InstanceGroupMember& member) noexcept;

/// The accelerators of an instance that was looked up with its hardware: those that it lists; without such a list those of its machine
/// type. None: not known, such as of an unknown machine type. Pure.
std::optional<Accelerators> gce_accelerators(const Instance& instance);

/// A running member with its address.
class GceTask {
 public:
  GceTask() {}
  std::string address;  ///< `ip:port`
  const GceInstance* member = nullptr;
};

/// The group's status: its running members, as in the spec, then `others` without addresses, each with the service's status. A group
/// without members is waiting. Pure.
ClusterStatus gce_status(const std::string& job, std::vector<GceTask> running, std::vector<GceInstance> others);

// The treatment of incomplete answers.

/// Adds to the failure the subject of an unusable answer and the URL that gave it.
Failure gce_failure(std::string_view who, Failure failure, const std::string& asked);

/// A list that declares itself incomplete: an error (unavailable), or a log event if the user accepts partial answers.
Result<void> judge_warning(Call& call, const GcePlan& plan, const GceOptions& options, const ListWarning& warning,
                           const std::string& asked);

/// Emits a log event for a member that no longer exists.
void report_missing(Call& call, const GcePlan& plan, const Failure& failure);

/// The address of each instance, in options.order(). `instances` may be put into another order, and must outlive the tasks. Errors:
/// malformed_response (a running instance without the interface or the address), not_ready (an instance that no longer runs and has no
/// address), not_found (no such named port, no such interface).
Result<std::vector<GceTask>> gce_tasks(const GcePlan& plan, const GceOptions& options, std::vector<GceInstance>& instances);

}  // namespace rollcall
