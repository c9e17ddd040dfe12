// Why the members of a cluster are not ready, for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/cluster_verdict.hpp"

namespace rollcall {

/// One object, without a line end: `{"is_ready":false,"ready":3,"total":4,"groups":[…],"warnings":[…],"unread":[…],"status":{…}}`. A group
/// has `members`, `job`, `count`, `state`, `why`, `causes` and `remedy`. Warnings are groups of members that are ready on a machine that is
/// not well.
std::string render_why_json(const ClusterVerdict& verdict, const std::vector<std::string>& unread);

/// The causes as an array.
void write_causes_json(std::string& out, const std::vector<Cause>& causes);

}  // namespace rollcall
