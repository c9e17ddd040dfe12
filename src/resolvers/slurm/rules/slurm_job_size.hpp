// How large a job is, and whether it runs, by its record alone. Pure.
#pragma once

#include <optional>

#include "resolvers/slurm/wire/slurm_job.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The GPUs of all nodes of a job: what it has, or while it waits what it asks for. None: not known. 0 where it asks for no GPUs.
std::optional<Accelerators> slurm_gpus_of_job(const SlurmJobRecord& job);

/// True if it is RUNNING, its nodes have booted and their prologs have ended. [facts: slurm-ready]
bool slurm_job_runs(const SlurmJobRecord& job);

}  // namespace rollcall
