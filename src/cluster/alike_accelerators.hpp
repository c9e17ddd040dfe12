// The one number of accelerators that the members of a cluster have. No I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The accelerators of each member, or of one task if both `job` and `index` are given. None: there is no such member, or those of one are
/// not known. Errors: failed_precondition (they differ; the message names the members).
std::optional<Result<AcceleratorCounts>> alike_accelerators(const std::vector<Member>& members, const std::optional<std::string>& job,
                                                            const std::optional<int>& index);

}  // namespace rollcall
