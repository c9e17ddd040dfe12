// The status of a queued resource and of its nodes' workers. Pure.
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

/// not_ready: a description of the state, its initiator, the error of FAILED, and a hint [facts: queued-states].
Failure explain_queued(std::string_view name, const QueuedResource& request);

/// The request's own state, described as by explain_queued(): ACTIVE is ready; FAILED, SUSPENDING, SUSPENDED and DELETING are lost; the
/// others are waiting [facts: queued-states].
ClusterStatus queued_status(std::string_view name, const QueuedResource& request);

/// The same with its members, as tasks of one job or of one job per slice, unless the request is lost. The members are the workers of its
/// nodes, which are created in the state PROVISIONING and may be late in the state ACTIVE; without `slices`, the workers by the accelerator
/// type. A missing node is waiting while the request is PROVISIONING, and lost once it was ACTIVE.
ClusterStatus queued_status(std::string_view name, const QueuedResource& request, std::vector<FoundSlice> slices, const std::string& job,
                            SliceJobs jobs);

}  // namespace rollcall
