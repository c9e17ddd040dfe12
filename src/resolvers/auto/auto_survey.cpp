#include "resolvers/auto/auto_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/launchers/mpi_hosts.hpp"
#include "resolvers/launchers/mpi_process.hpp"
#include "resolvers/launchers/wire/sagemaker.hpp"
#include "resolvers/launchers/wire/tf_config.hpp"
#include "resolvers/launchers/wire/worker_lists.hpp"
#include "rollcall/slurm_resolver.hpp"

namespace rollcall {
namespace {

// clang-format off
constexpr std::array<std::string_view, 15> place_names = {"tfconfig", "sagemaker", "mpi", "slurm", "vertex", "lws", "tpu_pod", "volcano", "skypilot", "ray", "job", "batch", "torch", "jax", "tpu_vm"};
// clang-format on

constexpr std::size_t max_sagemaker_file = 16 * 1024 * 1024;

class AutoSurveyor {
 public:
  AutoSurveyor(const Environment& environment, const Files& files, const AutoOptions& options, std::size_t max)
      : environment_(environment), files_(files), options_(options), max_(max) {}

  // A step's task says where it is; a batch script or shell may have started another launcher.
  bool is_slurm_task() const {
    const Result<SlurmProcess> process = find_slurm_process(environment_);
    return process && process->role == SlurmRole::task;
  }

  AutoCandidate poll(Launcher place) const {
    switch (place) {
      case Launcher::tfconfig: return tfconfig();
      case Launcher::sagemaker: return sagemaker();
      case Launcher::mpi: return mpi();
      case Launcher::slurm: return slurm();
      case Launcher::lws: return all_set(place, {"LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE"});
      case Launcher::tpu_pod: return tpu_pod();
      case Launcher::vertex: return vertex();
      case Launcher::volcano: return volcano();
      case Launcher::skypilot: return listed_nodes();
      case Launcher::ray: return in_own_cluster(all_set(place, {"RAY_CLUSTER_NAME"}));
      case Launcher::job: return job();
      case Launcher::batch:
      case Launcher::torch:
      case Launcher::jax: return first_host(place);
      case Launcher::tpu_vm: break;
    }
    return AutoCandidate(place, false, "the metadata server was not asked");
  }

 private:
  bool is_set(std::string_view name) const { return rollcall::is_set(environment_, name); }

  std::string state_of(std::string_view name) const {
    const std::optional<std::string> value = environment_.get(name);
    return fmt::format("{} is {}", name, !value ? "not set" : value->empty() ? "empty" : "set");
  }

  // The evidence names the first missing variable and the variables that are set.
  AutoCandidate all_set(Launcher place, std::initializer_list<std::string_view> names) const {
    std::string there;
    for (const std::string_view name : names) {
      if (is_set(name)) there += fmt::format("{}{}", there.empty() ? "" : " and ", name);
    }
    for (const std::string_view name : names) {
      if (is_set(name)) continue;
      return AutoCandidate(place, false, there.empty() ? state_of(name) : fmt::format("{} is set, but {}", there, state_of(name)));
    }
    return AutoCandidate(place, true, fmt::format("{} {} set", there, names.size() > 1 ? "are" : "is"));
  }

  // Malformed JSON counts as a TF_CONFIG, so that its resolver reports the fault. To skip it would be a guess.
  AutoCandidate tfconfig() const {
    AutoCandidate candidate = all_set(Launcher::tfconfig, {"TF_CONFIG"});
    if (!candidate.is_present) return candidate;
    const Result<TfConfig> config = TfConfig::parse(*environment_.get("TF_CONFIG"));
    if (!config || config->has_cluster()) return candidate;
    return AutoCandidate(Launcher::tfconfig, false, "TF_CONFIG is set, but has no cluster");
  }

  // A file that cannot be read counts as absent, a malformed one as present, so that its fault is reported.
  AutoCandidate sagemaker() const {
    AutoCandidate candidate = all_set(Launcher::sagemaker, {"SM_HOSTS", "SM_CURRENT_HOST"});
    if (environment_.get("SM_HOSTS")) return candidate;
    if (files_.read(sagemaker_file, max_sagemaker_file))
      return AutoCandidate(Launcher::sagemaker, true, fmt::format("there is {}", sagemaker_file));
    return candidate;
  }

  AutoCandidate vertex() const {
    const std::string text = environment_.get("CLUSTER_SPEC").value_or("");
    if (text.empty()) return AutoCandidate(Launcher::vertex, false, state_of("CLUSTER_SPEC"));
    if (names_worker_pools(text)) return AutoCandidate(Launcher::vertex, true, "CLUSTER_SPEC is set");
    return AutoCandidate(Launcher::vertex, false, "CLUSTER_SPEC is set, but names no workerpool0, as Vertex AI's does");
  }

  AutoCandidate listed_nodes() const {
    for (const std::string_view name : {"SKYPILOT_NODE_IPS", "DSTACK_NODES_IPS", "PADDLE_TRAINER_ENDPOINTS"}) {
      if (is_set(name)) return AutoCandidate(Launcher::skypilot, true, fmt::format("{} is set", name));
    }
    return all_set(Launcher::skypilot, {"SKYPILOT_NODE_IPS"});
  }

  AutoCandidate volcano() const {
    const std::vector<std::string> lists = volcano_lists(environment_);
    if (lists.empty()) return AutoCandidate(Launcher::volcano, false, "no VC_TASK_HOSTS is set");
    return AutoCandidate(
        Launcher::volcano, true,
        fmt::format("{} {} set", printable(fmt::format("{}", fmt::join(lists, ", ")), 200), lists.size() == 1 ? "is" : "are"));
  }

  bool is_step() const { return is_set("SLURM_PROCID") && is_set("SLURM_STEP_NODELIST"); }

  // mpirun starts its daemons with srun, and their children inherit the daemons' SLURM_PROCID: then rank or size differ.
  AutoCandidate mpi() const {
    const Result<MpiProcess> process = find_mpi_process(environment_);
    if (!has_mpi_launcher(environment_)) {
      return AutoCandidate(Launcher::mpi, false, "OMPI_COMM_WORLD_RANK, PMI_RANK and PMIX_RANK are not set");
    }
    if (!process) return AutoCandidate(Launcher::mpi, true, "a launcher of MPI started this process");
    const std::string who = fmt::format("{} started this process, rank {} of {}", process->launcher, process->rank, process->size);
    const auto rank = parse_decimal<int>(environment_.get("SLURM_PROCID").value_or(""));
    const auto size = parse_decimal<int>(environment_.get("SLURM_STEP_NUM_TASKS").value_or(""));
    if (is_step() && rank == process->rank && size == process->size)
      return AutoCandidate(Launcher::mpi, false, who + ", as a Slurm step, which knows the hosts");
    return AutoCandidate(Launcher::mpi, true, who);
  }

  // Variables that contradict each other count as present, so that reading them reports the fault.
  AutoCandidate slurm() const {
    const Result<SlurmProcess> process = find_slurm_process(environment_);
    if (!process) return AutoCandidate(Launcher::slurm, true, "variables of a Slurm step are set, and are not those of this process");
    if (process->role == SlurmRole::allocation && is_set("SLURM_JOB_NODELIST"))
      return AutoCandidate(Launcher::slurm, true, fmt::format("SLURM_JOB_NODELIST is set, and this is {}", process->words));
    if (process->role == SlurmRole::task) return all_set(Launcher::slurm, {"SLURM_PROCID", "SLURM_STEP_NODELIST"});
    AutoCandidate candidate = all_set(Launcher::slurm, {"SLURM_PROCID", "SLURM_STEP_NODELIST"});
    candidate.is_present = false;
    if (is_set("SLURM_JOB_ID"))
      candidate.evidence = "SLURM_JOB_ID is set, but this is no step (SLURM_PROCID, SLURM_STEP_NODELIST): start it by srun";
    return candidate;
  }

  AutoCandidate tpu_pod() const {
    for (const std::string_view name : {"TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES"}) {
      if (is_set(name)) return AutoCandidate(Launcher::tpu_pod, true, fmt::format("{} is set", name));
    }
    std::string evidence = "TPU_WORKER_HOSTNAMES and TPU_PROCESS_ADDRESSES are not set";
    if (is_set("TPU_WORKER_ID")) evidence = "TPU_WORKER_ID is set, but " + evidence;
    return AutoCandidate(Launcher::tpu_pod, false, std::move(evidence));
  }

  AutoCandidate job() const {
    AutoCandidate candidate = all_set(Launcher::job, {"JOB_COMPLETION_INDEX"});
    if (!candidate.is_present) return candidate;
    if (job_of_pod(environment_).empty()) {
      return AutoCandidate(Launcher::job, false,
                           "JOB_COMPLETION_INDEX is set, but HOSTNAME does not end in it, so that the job's name is not known");
    }
    return in_own_cluster(std::move(candidate));
  }

  // Variables that name only the first of several hosts are not a cluster. Malformed ones count as present: reading them reports the fault.
  AutoCandidate first_host(Launcher place) const {
    const Result<TpuHosts> hosts = first_host_cluster(place, environment_, options_, max_);
    if (hosts) return AutoCandidate(place, true, hosts->from + (hosts->from.find(" and ") == std::string::npos ? " is set" : " are set"));
    const Failure& failure = hosts.error();
    return AutoCandidate(place, failure.code() != Errc::not_found && failure.code() != Errc::failed_precondition, failure.what());
  }

  AutoCandidate in_own_cluster(AutoCandidate candidate) const {
    if (!candidate.is_present) return candidate;
    const Result<KubernetesServer> server = find_own_cluster(environment_, files_);
    if (server) return candidate;
    candidate.is_present = false;
    candidate.evidence += fmt::format(", but the Kubernetes API cannot be asked: {}", server.error().what());
    return candidate;
  }

  const Environment& environment_;
  const Files& files_;
  const AutoOptions& options_;
  std::size_t max_;
};

// The script of a batch job, and programs in it that no launcher of MPI started: any other place says more of them.
void take_job_script(const Environment& environment, std::vector<AutoCandidate>& candidates) {
  if (!is_mpi_job_script(environment)) return;
  for (AutoCandidate& candidate : candidates) {
    if (candidate.place == Launcher::mpi)
      candidate = AutoCandidate(Launcher::mpi, true, fmt::format("{} lists the hosts of the batch job", scheduler_variable(environment)));
  }
}

}  // namespace

std::string_view to_string(Launcher place) noexcept { return place_names[static_cast<std::size_t>(place)]; }

Result<Launcher> parse_auto_place(std::string_view text) {
  for (std::size_t i = 0; i < place_names.size(); ++i) {
    if (text == place_names[i]) return static_cast<Launcher>(i);
  }
  const auto near = nearest(text, place_names);
  return Failure(Errc::invalid_argument, fmt::format("auto: {} is no place to look at", quoted(text, 80)))
      .with_hint(near ? fmt::format("did you mean {}?", *near) : fmt::format("places are {}", fmt::join(place_names, ", ")));
}

std::vector<Launcher> places_without_requests() {
  std::vector<Launcher> places;
  for (std::size_t i = 0; i < place_names.size(); ++i) {
    const auto place = static_cast<Launcher>(i);
    if (place != Launcher::tpu_vm) places.push_back(place);
  }
  return places;
}

bool is_inspected(const AutoOptions& options, Launcher place) {
  const std::vector<Launcher>& from = options.from();
  return from.empty() || std::find(from.begin(), from.end(), place) != from.end();
}

std::vector<AutoCandidate> survey_environment(const Environment& environment, const Files& files, const AutoOptions& options,
                                              std::size_t max) {
  const AutoSurveyor surveyor(environment, files, options, max);
  std::vector<AutoCandidate> candidates;
  for (std::size_t i = 0; i < place_names.size(); ++i) {
    const auto place = static_cast<Launcher>(i);
    if (place != Launcher::tpu_vm && is_inspected(options, place)) candidates.push_back(surveyor.poll(place));
  }
  const auto slurm = std::find_if(candidates.begin(), candidates.end(), [](const AutoCandidate& c) { return c.place == Launcher::slurm; });
  const bool is_last = slurm != candidates.end() && slurm->is_present && !surveyor.is_slurm_task();
  if (is_last && std::any_of(slurm + 1, candidates.end(), [](const AutoCandidate& c) { return c.is_present; })) slurm->is_present = false;
  if (!first_present(candidates)) take_job_script(environment, candidates);
  return candidates;
}

const AutoCandidate* first_present(const std::vector<AutoCandidate>& candidates) {
  const auto at = std::find_if(candidates.begin(), candidates.end(), [](const AutoCandidate& c) { return c.is_present; });
  return at == candidates.end() ? nullptr : &*at;
}

std::string job_of_pod(const Environment& environment) {
  const std::string host = environment.get("HOSTNAME").value_or("");
  const std::string end = "-" + environment.get("JOB_COMPLETION_INDEX").value_or("");
  return host.size() > end.size() && end.size() > 1 && host.ends_with(end) ? host.substr(0, host.size() - end.size()) : std::string();
}

Failure no_place_failure(const std::vector<AutoCandidate>& candidates) {
  std::string what = "auto: found no cluster that this process belongs to";
  for (std::size_t i = 0; i < candidates.size(); ++i)
    what += fmt::format("{}{}: {}", i == 0 ? " (" : "; ", to_string(candidates[i].place), candidates[i].evidence);
  if (!candidates.empty()) what += ")";
  return Failure(Errc::failed_precondition, std::move(what))
      .with_hint("name a target, such as kubernetes:NAMESPACE/KIND/NAME, slurm:job/ID or tpu:NAME");
}

}  // namespace rollcall
