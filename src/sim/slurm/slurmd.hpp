// The ports of the nodes' slurmd, which take connections while a node lives. Pure.
#pragma once

#include <optional>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "sim/model/slurm_model.hpp"

namespace rollcall::sim {

/// Those of all nodes, each once.
std::vector<Endpoint> slurmd_addresses(const SlurmClusterModel& cluster);

/// True if a node that answers is at that address, or has that name, and its slurmd that port.
bool is_slurmd_running(const SlurmClusterModel& cluster, const Endpoint& address, Duration now);

/// The next time at which a node changes.
std::optional<Duration> next_slurmd_change(const SlurmClusterModel& cluster, Duration now);

}  // namespace rollcall::sim
