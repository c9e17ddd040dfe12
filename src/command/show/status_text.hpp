// A cluster's status as a table. Pure.
#pragma once

#include <string>

#include "rollcall/cluster_verdict.hpp"

namespace rollcall::command {

/// A summary line, `3/4 ready`, then a line for each member: job, index, address (or name), and `ready` or the reason why it is not. A run
/// of free places is one line, `worker 2-9`. `subject`: the beginning of the first line.
std::string status_text(const std::string& subject, const ClusterVerdict& verdict);

}  // namespace rollcall::command
