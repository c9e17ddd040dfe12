// How a cluster stands by one look at it, as a table. Pure.
#pragma once

#include <string>

#include "rollcall/cluster_verdict.hpp"

namespace rollcall::command {

/// A line on the whole, `3/4 ready`, then a line for each member: job, index, address (or name), and `ready` or why it is not. Places that
/// nobody has taken yet are one line, `worker 2-9`. `subject`: what the first line begins with.
std::string status_text(const std::string& subject, const ClusterVerdict& verdict);

}  // namespace rollcall::command
