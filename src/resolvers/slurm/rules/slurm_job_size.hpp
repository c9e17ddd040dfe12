// How large a job is, and whether it runs, by its record alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resolvers/slurm/wire/slurm_job.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The GPUs of all nodes of a job: what it has, or while it waits what it asks for. None: not known. 0 where it asks for no GPUs.
std::optional<Accelerators> slurm_gpus_of_job(const SlurmJobRecord& job);

/// Why the nodes of these components have no GPUs to count: `waits for its nodes; it asks for 16 GPUs`. Empty: they may have some.
std::string why_no_slurm_gpus(const std::vector<SlurmJobRecord>& jobs);

/// True if it is RUNNING, its nodes have booted and their prologs have ended. [facts: slurm-ready]
bool slurm_job_runs(const SlurmJobRecord& job);

}  // namespace rollcall
