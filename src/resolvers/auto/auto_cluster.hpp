// Clusters that the surroundings themselves list, without another resolver. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/own_index.hpp"
#include "resolvers/tpu/wire/tpu_env.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// Which of a slice's workers this process is. Nothing is guessed: what is missing or contradicts itself is an error.
/// `ids`: what sources say of the worker id; `own`: what the machine is called, or its addresses. Errors, listing the candidates:
/// failed_precondition (no source says anything), invalid_argument (no number from 0, or out of range), conflict (sources that
/// disagree, an own name that belongs to another id, a host that is listed twice).
Result<int> settle_worker_id(const TpuHosts& workers, const std::vector<Claim>& ids, const std::vector<Claim>& own);

/// Errors: conflict when a host is listed twice.
Result<void> check_hosts_differ(const TpuHosts& workers);

class AutoCluster {
 public:
  AutoCluster() {}
  ClusterSpec spec;
  int task_id = 0;
  AutoTpu tpu;
  std::vector<std::string> contradictions;
};

/// What a TPU VM's metadata server said; none: it has no such key.
class TpuVmFacts {
 public:
  TpuVmFacts() {}
  bool is_tpu() const { return worker_number || endpoints || env; }
  std::optional<std::string> worker_number;     ///< instance/attributes/agent-worker-number
  std::optional<std::string> endpoints;         ///< instance/attributes/worker-network-endpoints
  std::optional<std::string> env;               ///< instance/attributes/tpu-env
  std::optional<std::string> accelerator_type;  ///< instance/attributes/accelerator-type
  std::optional<std::string> name;              ///< instance/name
  std::optional<std::string> address;           ///< instance/network-interfaces/0/ip
};

/// Worker ids, bounds and list of a TPU VM. Environment variables that say something of the same are compared. Errors: those of
/// settle_worker_id and the parsers; malformed_response when hosts are not known.
Result<AutoCluster> read_tpu_vm(const TpuVmFacts& facts, const Environment& environment, const AutoOptions& options, std::size_t max);

/// The slice of a GKE TPU pod. Errors: invalid_argument, conflict, failed_precondition, limit_exceeded. [facts: gke-tpu-pod]
Result<AutoCluster> read_tpu_pod(const Environment& environment, const AutoOptions& options, std::size_t max);

/// The group of a LeaderWorkerSet's pod: leader first. Errors as read_tpu_pod. Source: LeaderWorkerSet's documentation.
Result<AutoCluster> read_lws(const Environment& environment, const AutoOptions& options, std::size_t max);

/// The hosts of the place `torch` or `jax`, with their ports. Errors: not_found (its variables are not set), failed_precondition (they tell
/// only the first of several hosts), invalid_argument naming the variable. [facts: torchrun-environment, trainer-hosts, pytorchjob-hosts]
Result<TpuHosts> first_host_cluster(Launcher place, const Environment& environment, const AutoOptions& options, std::size_t max);
/// The same with this one's index. Errors also: failed_precondition (nothing tells the index), conflict.
Result<AutoCluster> read_first_host_cluster(Launcher place, const Environment& environment, const AutoOptions& options, std::size_t max);
/// What Kubeflow Trainer says of the index of one of `pods` pods, where it counts as many. Errors: invalid_argument.
Result<std::vector<Claim>> trainer_claims(const Environment& environment, std::size_t pods, std::size_t max);

// Shared by these.
/// As `auto:` tells it.
Failure of_auto(Failure failure);
/// The same, where the option for the index helps.
Failure with_task_hint(Failure failure);
/// The options' id if given, else the one that is settled.
Result<AutoCluster> cluster_of_hosts(const TpuHosts& workers, const std::vector<Claim>& ids, const std::vector<Claim>& own,
                                     const AutoOptions& options);
/// Reads MEGASCALE_NUM_SLICES, _SLICE_ID and _COORDINATOR_ADDRESS into `cluster.tpu`, which may have those of tpu-env. Errors:
/// invalid_argument (no numbers, an id out of range), conflict (two slice ids).
Result<void> read_slices(const Environment& environment, AutoCluster& cluster);
/// Doubts the list's length when `bounds` (`2,2,1`) have another number of hosts.
void compare_host_bounds(std::string_view source, const std::string& bounds, const TpuHosts& workers, AutoCluster& cluster);

}  // namespace rollcall
