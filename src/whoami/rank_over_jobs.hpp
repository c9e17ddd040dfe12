// Which task of a cluster with several jobs a framework's rank names.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/whoami.hpp"

namespace rollcall {

/// The place in the list of all tasks that the rank of torch or JAX names, if that is not `place`. Frameworks count job by job, a chief or
/// master first, or as the jobs are listed: a rank that is `place` by one of the two agrees. None also where a job has no ranks, such as
/// parameter servers, and for numbers of other launchers, whose order of jobs is not known.
std::optional<std::size_t> other_place_over_jobs(const Testimony& said, const std::vector<const ClusterSpec::Job*>& jobs,
                                                 std::size_t place);

}  // namespace rollcall
