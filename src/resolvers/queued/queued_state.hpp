// What a queued resource's state means for someone who waits for its nodes. Pure.
#pragma once

#include "resolvers/queued/wire/queued_resource.hpp"

namespace rollcall {

/// `queued resource 'ms'`
std::string queued_name(std::string_view name);

/// `SUSPENDED (its nodes are gone, by the service: it was preempted); it keeps its share of the quota until it is deleted`
std::string describe_queued(const QueuedResource& request);

/// not_ready: the state in words, who brought it about, the error of FAILED, and what to do [facts: queued-states].
Failure explain_queued(std::string_view name, const QueuedResource& request);

}  // namespace rollcall
