// Why the members of a cluster are not ready, for a person. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/cluster_verdict.hpp"

namespace rollcall::command {

/// A line on the whole; then each group of members with the same chain of causes, a line a layer, the outermost first, with the object that
/// says so, since when, and what would mend it. Members that are ready on a machine that is not well come last. `unread`: the layers that
/// are not known.
std::string why_text(const std::string& subject, const ClusterVerdict& verdict, const std::vector<std::string>& unread, WallTime now);

}  // namespace rollcall::command
