// How a queued resource and the workers of its nodes stand. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolvers/queued/queued_api.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/queued_resource.hpp"

namespace rollcall {

/// The request's own state, with the words of explain_queued(): ACTIVE is ready; FAILED, SUSPENDING, SUSPENDED and DELETING are lost; the
/// others are waited for [facts: queued-states].
ClusterStatus queued_status(std::string_view name, const QueuedResource& request);

/// The same with its members, as tasks of one job or of one for each slice, unless it is lost: the workers of its nodes, which are made
/// while it is PROVISIONING and may be late when it is ACTIVE; or, with no `slices`, those that there will be by the accelerator type. A
/// node that does not exist is waited for while the request is PROVISIONING; once it was ACTIVE it is lost.
ClusterStatus queued_status(std::string_view name, const QueuedResource& request, std::vector<FoundSlice> slices, const std::string& job,
                            SliceJobs jobs);

}  // namespace rollcall
