// What a queued resource's state means for someone who waits for its nodes, and how the workers of its nodes stand. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolvers/queued/queued_api.hpp"
#include "resolvers/queued/wire/queued_resource.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/queued_resource.hpp"

namespace rollcall {

/// `queued resource 'ms'`
std::string queued_name(std::string_view name);

/// `SUSPENDED (its nodes are gone, by the service: it was preempted); it keeps its share of the quota until it is deleted`
std::string describe_queued(const QueuedResource& request);

/// not_ready: the state in words, who brought it about, the error of FAILED, and what to do [facts: queued-states].
Failure explain_queued(std::string_view name, const QueuedResource& request);

/// The request's own state, with the words of explain_queued(): ACTIVE is ready; FAILED, SUSPENDING, SUSPENDED and DELETING are lost; the
/// others are waited for [facts: queued-states].
ClusterStatus queued_status(std::string_view name, const QueuedResource& request);

/// The same with its members, as tasks of one job or of one for each slice, unless it is lost: the workers of its nodes, which are made
/// while it is PROVISIONING and may be late when it is ACTIVE; or, with no `slices`, those that there will be by the accelerator type. A
/// node that does not exist is waited for while the request is PROVISIONING; once it was ACTIVE it is lost.
ClusterStatus queued_status(std::string_view name, const QueuedResource& request, std::vector<FoundSlice> slices, const std::string& job,
                            SliceJobs jobs);

}  // namespace rollcall
