// Clusters that environment variables or the metadata server list, without another resolver. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "resolvers/tpu/wire/tpu_env.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/environment.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {

/// Finds which worker of a slice this process is. Missing or contradictory sources are an error: there is no guess.
/// `ids`: worker ids by source; `own`: the machine's own names or addresses by source. Errors, listing the candidates:
/// failed_precondition (no source names an id), invalid_argument (not a number from 0, or out of range), conflict (sources that
/// disagree, an own name that belongs to another id, a host that is listed twice).
Result<int> settle_worker_id(const TpuHosts& workers, const std::vector<Claim>& ids, const std::vector<Claim>& own);

/// The workers by their hosts, and by their names where those are known.
Candidates worker_candidates(const TpuHosts& workers);

/// Errors: conflict when a host is listed twice.
Result<void> check_hosts_differ(const TpuHosts& workers);

class AutoCluster {
 public:
  AutoCluster() {}
  ClusterSpec spec;
  int task_id = 0;
  std::optional<std::string> task_type;  ///< none: the only job
  AutoTpu tpu;
  std::map<std::string, Accelerators, std::less<>> accelerators;  ///< as AutoChoice's
  std::vector<std::string> contradictions;
};

/// Values of a TPU VM's metadata server; none: the server has no such key.
class TpuVmFacts {
 public:
  TpuVmFacts() {}
  bool is_tpu() const { return worker_number || endpoints || env; }
  std::optional<std::string> worker_number;     ///< instance/attributes/agent-worker-number
  std::optional<std::string> worker_id;         ///< instance/attributes/worker-id, which users may set for purposes of their own
  std::optional<std::string> endpoints;         ///< instance/attributes/worker-network-endpoints
  std::optional<std::string> env;               ///< instance/attributes/tpu-env
  std::optional<std::string> accelerator_type;  ///< instance/attributes/accelerator-type
  std::optional<std::string> name;              ///< instance/name
  std::optional<std::string> address;           ///< instance/network-interfaces/0/ip
};

/// Worker ids, bounds and the host list of a TPU VM, compared with the environment variables for the same values. Errors: those of
/// settle_worker_id and the parsers; malformed_response when the hosts are not known.
Result<AutoCluster> read_tpu_vm(const TpuVmFacts& facts, const Environment& environment, const AutoOptions& options, std::size_t max);

/// The slice of a GKE TPU pod, or all slices. Errors: invalid_argument, conflict, failed_precondition, limit_exceeded. [facts: gke-tpu-pod]
Result<AutoCluster> read_tpu_pod(const Environment& environment, const AutoOptions& options, std::size_t max);

/// The group of a LeaderWorkerSet's pod, leader first; where the group's TPUs have a list of their own, these processes. Errors: as
/// read_tpu_pod. Source: LeaderWorkerSet's documentation.
Result<AutoCluster> read_lws(const Environment& environment, const AutoOptions& options, std::size_t max);

/// The worker pools of a Vertex AI job. Errors: as read_tpu_pod. [facts: vertex-cluster-spec]
Result<AutoCluster> read_vertex(const Environment& environment, const AutoOptions& options, std::size_t max);

/// The tasks of a Volcano job. Errors: as read_tpu_pod. [facts: volcano-hosts]
Result<AutoCluster> read_volcano(const Environment& environment, const AutoOptions& options, std::size_t max);

/// The nodes of a SkyPilot cluster, in SkyPilot's order. Errors: as read_tpu_pod. [facts: skypilot-nodes]
Result<AutoCluster> read_skypilot(const Environment& environment, const AutoOptions& options, std::size_t max);

/// The hosts of the place `torch` or `jax`, with their ports. Errors: not_found (its variables are not set), failed_precondition (they name
/// only the first of several hosts), invalid_argument naming the variable. [facts: torchrun-environment, trainer-hosts, pytorchjob-hosts]
Result<TpuHosts> first_host_cluster(Launcher place, const Environment& environment, const AutoOptions& options, std::size_t max);
/// The same hosts with this process's index. Errors also: failed_precondition (no variable gives the index), conflict.
Result<AutoCluster> read_first_host_cluster(Launcher place, const Environment& environment, const AutoOptions& options, std::size_t max);
/// The pod index by Kubeflow Trainer's variables, if they count `pods` pods too. Errors: invalid_argument.
Result<std::vector<Claim>> trainer_claims(const Environment& environment, std::size_t pods, std::size_t max);

/// The cluster of a place without a resolver of its own. Errors: as the place's function.
Result<AutoCluster> read_place(Launcher place, const TpuVmFacts& facts, const Environment& environment, const AutoOptions& options,
                               std::size_t max);

/// Which of an Indexed Job's pods this is, of those that `spec` lists in the order of their completion index; the last ones may be missing.
/// `given`: the index that the caller gives instead. Errors: not_ready (no pods), those of settle_worker_id.
Result<int> own_pod(const ClusterSpec& spec, const Environment& environment, std::optional<int> given, std::size_t max);

// Shared by the functions above.
/// The failure with the prefix `auto: `.
Failure of_auto(Failure failure);
/// The same with a hint to give the option for the task index.
Failure with_task_hint(Failure failure);
/// The task index is the options' id if given, else the one settled from `ids` and `own`.
Result<AutoCluster> cluster_of_hosts(const TpuHosts& workers, const std::vector<Claim>& ids, const std::vector<Claim>& own,
                                     const AutoOptions& options);
/// Reads MEGASCALE_NUM_SLICES, _SLICE_ID and _COORDINATOR_ADDRESS into `cluster.tpu`, which may already have tpu-env's values, and compares
/// them with the slice's hosts. Errors: invalid_argument (not a number, an id out of range), conflict (two slice ids).
Result<void> read_slices(const Environment& environment, const TpuHosts& workers, AutoCluster& cluster);
/// As cluster_of_hosts() for the slice whose hosts are `workers`, or for all slices where their names show the others; with `known`.tpu and
/// its contradictions. Errors also: limit_exceeded.
Result<AutoCluster> cluster_of_slices(const Environment& environment, const TpuHosts& workers, const std::vector<Claim>& ids,
                                      const std::vector<Claim>& own, const AutoOptions& options, std::size_t max, AutoCluster known);
/// What is known of the members: their accelerators, and which of several slices each is in.
void describe_members(const AutoChoice& choice, ClusterStatus& status);
/// Adds a contradiction if the number of hosts by `bounds` (`2,2,1`) differs from the list's length.
void compare_host_bounds(std::string_view source, const std::string& bounds, const TpuHosts& workers, AutoCluster& cluster);
/// Sets AutoTpu::type by the texts of `cluster.tpu` and by the list of the slice's workers. What contradicts becomes a contradiction, and
/// so do fewer chips that this process may use.
void settle_type(const Environment& environment, const TpuHosts& workers, AutoCluster& cluster);

}  // namespace rollcall
