// The cluster that this process belongs to, independent of the launcher: detects the environment and uses the resolver for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// The kinds of environments that a process may run in. They are checked in this order; the first that is present is used.
enum class Launcher {
  tfconfig,   ///< TF_CONFIG has a cluster
  sagemaker,  ///< SM_HOSTS and SM_CURRENT_HOST, or a SageMaker container's resourceconfig.json; the cluster is the instance group
  mpi,        ///< variables of Open MPI, Hydra, jsrun, PALS or PMIx; a Slurm step of the same rank and size comes first, as it lists the
              ///< hosts. Where there is no place at all, also a job scheduler's list of hosts, in the script of a batch job
  slurm,      ///< a step: SLURM_PROCID and SLURM_STEP_NODELIST; where no other place is present, the nodes of an allocation, in whose
              ///< batch script or shell this process runs: SLURM_JOB_NODELIST
  vertex,     ///< Vertex AI: CLUSTER_SPEC; a job for each worker pool, in their order
  lws,        ///< a pod of a LeaderWorkerSet: LWS_LEADER_ADDRESS and LWS_GROUP_SIZE; the cluster is the group
  tpu_pod,    ///< a GKE TPU pod (JobSet, Job, KubeRay): TPU_WORKER_HOSTNAMES or TPU_PROCESS_ADDRESSES
  volcano,    ///< a pod of a Volcano job: VC_MASTER_HOSTS, VC_WORKER_HOSTS and the like; a job for each task of Volcano's
  skypilot,   ///< SKYPILOT_NODE_IPS and SKYPILOT_NODE_RANK, or DSTACK_NODES_IPS and DSTACK_NODE_RANK
  ray,        ///< a KubeRay pod without these: RAY_CLUSTER_NAME; its pods are read from the Kubernetes API
  job,        ///< a pod of an Indexed Job: JOB_COMPLETION_INDEX and HOSTNAME; its pods are read from the Kubernetes API
  batch,      ///< a node of an AWS Batch multi-node job of one node: AWS_BATCH_JOB_NUM_NODES; of several, Batch lists none
  torch,      ///< torchrun's variables, or a controller's that sets them, where all hosts can be derived from them: PET_NNODES and
              ///< PET_MASTER_ADDR, or WORLD_SIZE and MASTER_ADDR
  jax,  ///< JAX_COORDINATOR_ADDRESS and JAX_NUM_PROCESSES, or a JAXJob's COORDINATOR_ADDRESS and NUM_PROCESSES, where all hosts can be
        ///< derived from them
  tpu_vm,  ///< a TPU VM: the metadata server's worker-network-endpoints, agent-worker-number and tpu-env
};
std::string_view to_string(Launcher place) noexcept;  ///< the enumerator's spelling
/// Errors: invalid_argument, with the nearest spelling.
Result<Launcher> parse_auto_place(std::string_view text);

/// The places that are found without a request: all but the metadata server's.
std::vector<Launcher> places_without_requests();

class AutoOptions {
 public:
  AutoOptions() {}
  // clang-format off
  /// Only these places are checked. Default: all.
  AutoOptions& from(std::vector<Launcher> v) { from_ = std::move(v); return *this; }
  /// Of every task (the first of a host under MPI and Slurm). Default: the place's own, 8470 where it has none.
  AutoOptions& port(std::uint16_t v) { port_ = v; return *this; }
  /// The job of places that know hosts only: MPI, SkyPilot, pods, TPU VMs.
  AutoOptions& job(std::string v) { job_ = std::move(v); return *this; }
  /// This task's index, instead of the place's own.
  AutoOptions& task_id(int v) { task_id_ = v; return *this; }
  AutoOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  // clang-format on
  const std::vector<Launcher>& from() const { return from_; }
  std::optional<std::uint16_t> port() const { return port_; }
  const std::string& job() const { return job_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }

 private:
  std::vector<Launcher> from_;
  std::optional<std::uint16_t> port_;
  std::string job_ = "worker";
  std::optional<int> task_id_;
  std::optional<std::string> rpc_layer_;
};

/// One kind of place, and the evidence for or against it.
class AutoCandidate {
 public:
  AutoCandidate() {}
  AutoCandidate(Launcher which, bool present, std::string what) : place(which), is_present(present), evidence(std::move(what)) {}
  Launcher place = Launcher::tfconfig;
  bool is_present = false;
  std::string evidence;  ///< `SM_HOSTS is not set`
};

/// What is known about the TPU slice that this process is part of. Empty: not known.
class AutoTpu {
 public:
  AutoTpu() {}
  std::string name;
  std::string project;
  std::string zone;
  std::string accelerator_type;
  std::string topology;
  std::string host_bounds;  ///< `2,2,1`
  std::string chips_per_host_bounds;
  /// The slice by all of these and by the list of its hosts. None: not known, and type_fault says why.
  std::optional<AcceleratorType> type;
  std::string type_fault;
  std::optional<int> num_slices;  ///< of a multislice job
  std::optional<int> slice_id;
  std::string coordinator;  ///< MEGASCALE_COORDINATOR_ADDRESS
  std::map<std::string, std::string> megascale;  ///< in a multislice job all variables MEGASCALE_* that are known
  std::string job;  ///< of the cluster, with the hosts of the slice, or of all slices where has_all_slices
  int slice_tasks = 0;  ///< of this slice; each of the others has as many
  bool has_all_slices = false;  ///< the names of the hosts show those of the other slices
  /// True: the cluster is one slice of several.
  bool is_part() const { return num_slices.value_or(1) > 1 && !has_all_slices; }
};

/// The chosen place and the evidence for it.
class AutoChoice {
 public:
  AutoChoice() {}
  Launcher place = Launcher::tfconfig;
  std::string reason;  ///< the evidence of the chosen place
  std::vector<AutoCandidate> candidates;  ///< all that were checked, in order
  std::vector<std::string> contradictions;  ///< values that contradict each other, such as a stale MEGASCALE_NUM_SLICES
  AutoTpu tpu;
  std::map<std::string, Accelerators, std::less<>> accelerators;  ///< of the machines of each job, as far as the place says so
};

/// Environment and files are checked first. The metadata server is queried only when they show no place, and never when TPU_SKIP_MDS_QUERY
/// is set, NO_GCE_CHECK is true, or METADATA_SERVER_DETECTION is none or bios-only. Off the cloud that costs one probe of at most a second
/// (half a second in a pod). The chosen place is logged as place_chosen, each contradiction as value_disputed.
///
/// torch and jax give the address of the first host and the number of hosts. That is the whole cluster where there is one host, and where
/// the names follow a rule: Kubeflow Trainer's `JOB-node-0-N.JOB`, a PyTorchJob's `JOB-master-0` and `JOB-worker-N`. Otherwise they are
/// skipped, and if there is no other place, the error (failed_precondition) says that only the first host is known.
///
/// The cluster of a multislice job is all of it where the names of the hosts show those of the other slices, as a JobSet's do
/// (`JOB-0-1.DOMAIN`, [facts: multislice-names]); elsewhere it is this slice (AutoTpu::is_part).
///
/// A worker id is never guessed; the only host of a list needs none. Where the place provides ids (vertex, volcano, skypilot, lws, tpu_pod,
/// job, torch, jax, tpu_vm), cluster_spec() fails when this worker's is missing (failed_precondition), no number or out of range
/// (invalid_argument), or when sources disagree, the host's own name or address belongs to another id, or a host is listed twice
/// (conflict); the message lists the candidates. AutoOptions::task_id() resolves the conflict.
///
/// task_type() and task_id() are those of the last call; before the first call, those that the environment gives. Errors also:
/// failed_precondition listing what was checked and found, when no place is detected; and those of the chosen place's own resolver.
class AutoResolver : public ClusterResolver {
 public:
  /// Detects the place without requesting the cluster. Errors: as cluster_spec(), except those about worker ids and of the place's own
  /// resolver.
  virtual asio::awaitable<Result<AutoChoice>> try_choose(CallOptions options = {}) = 0;
  asio::awaitable<AutoChoice> choose(CallOptions options = {});
  /// The choice of the last call. Call it from the Runtime's executor.
  virtual std::optional<AutoChoice> choice() const = 0;

 protected:
  using ClusterResolver::ClusterResolver;
};

/// The resolver as an AutoResolver; null: it is none.
AutoResolver* auto_resolver_of(ClusterResolver& resolver) noexcept;

/// Sends no request: the place is detected at the first call.
std::shared_ptr<AutoResolver> make_auto_resolver(Runtime runtime, AutoOptions options = {});

}  // namespace rollcall
