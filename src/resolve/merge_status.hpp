// Several clusters as one. Pure.
#pragma once

#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// As merge() does it with specs: a job whose parts are all dense is their concatenation, in order; otherwise indices are kept, and a
/// clash is Errc::conflict. The phase is that of the part that is furthest behind; `names[i]` is put in front of part i's words.
Result<ClusterStatus> merge_status(const std::vector<ClusterStatus>& parts, const std::vector<std::string>& names);

}  // namespace rollcall
