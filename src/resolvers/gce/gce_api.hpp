// Asks Compute Engine who is in the group, and what the members' instances are.
//
// Decision: get up to 256 members, list beyond. Upstream asks instances.get for each member, one after another. Side by side, 64 at once,
// a group of up to 64 takes one round trip whichever way; beyond, get needs one more for every 64 members, and one request of the
// project's rate quota per member, where instances.list answers for a hundred or more in one. Measured at 50 ms
// an answer (scripts/bench groups): 1,000 members take 1.0 s and 1,002 requests by get, 0.16 s and 10 requests by list. Price of list:
// another permission (compute.instances.list), and a filter that grows with the names; hence get where it costs next to nothing.
#pragma once

#include <asio/awaitable.hpp>
#include <vector>

#include "resolvers/gce/gce_plan.hpp"
#include "resolvers/gce/wire/instance_group.hpp"
#include "resolvers/gce/wire/instance_list.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// The group's running members, all pages, in the API's order. `plan` is complete. Errors: not_found, permission_denied, …,
/// malformed_response (a page token that comes twice), limit_exceeded, unavailable for a list that calls itself incomplete.
asio::awaitable<Result<std::vector<InstanceGroupMember>>> list_members(Call& call, const GcePlan& plan, const GceOptions& options);

/// A member and its instance.
class GceInstance {
 public:
  GceInstance() {}
  InstanceGroupMember member;
  Instance instance;
};

/// The members' instances, in the members' order, by options.lookup(). Members that are gone are an error (not_found), or left out with
/// allow_partial.
asio::awaitable<Result<std::vector<GceInstance>>> look_up_members(Call& call, const GcePlan& plan, const GceOptions& options,
                                                                  std::vector<InstanceGroupMember> members);

// What becomes of answers that are not whole.

/// Says whom an answer that cannot be used is about, and who gave it.
Failure gce_failure(std::string_view who, Failure failure, const std::string& asked);

/// A list that calls itself incomplete: an error (unavailable), or, where the user takes partial answers, a log event.
Result<void> judge_warning(Call& call, const GcePlan& plan, const GceOptions& options, const ListWarning& warning,
                           const std::string& asked);

/// A member that is not there any more: an event in the log.
void report_missing(Call& call, const GcePlan& plan, const Failure& failure);

}  // namespace rollcall
