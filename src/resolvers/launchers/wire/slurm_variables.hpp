// Slurm's variables: texts, the job's number, and the components of a heterogeneous job [facts: slurm-components].
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/environment.hpp"

namespace rollcall {

/// The first of `names` that is set and not empty; else empty. Slurm's `(null)` counts as empty.
std::string slurm_text(const Environment& environment, std::initializer_list<std::string_view> names);

/// The job's number, of a heterogeneous job its leader's; empty: not known.
std::string slurm_job_id(const Environment& environment);

/// How many components the heterogeneous job of this process has; 0: it is none, or the variables are another job's.
int slurm_component_count(const Environment& environment);

/// The variables with the nodes of the components of the heterogeneous job that this process belongs to; empty: it is not heterogeneous, or
/// the variables are not set.
std::vector<std::string> slurm_component_lists(const Environment& environment);

}  // namespace rollcall
