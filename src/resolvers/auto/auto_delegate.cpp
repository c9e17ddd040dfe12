#include <fmt/format.h>

#include "call/runtime_impl.hpp"
#include "resolvers/auto/auto_survey.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/mpi_resolver.hpp"
#include "rollcall/sagemaker_resolver.hpp"
#include "rollcall/slurm_job_resolver.hpp"
#include "rollcall/slurm_resolver.hpp"
#include "rollcall/tfconfig_resolver.hpp"

namespace rollcall {
namespace {

AutoDelegate with_tasks(std::shared_ptr<ClusterResolver> resolver) {
  AutoDelegate delegate;
  delegate.resolver = std::move(resolver);
  delegate.has_own_tasks = true;
  return delegate;
}

std::shared_ptr<ClusterResolver> slurm_delegate(const Runtime& runtime, const AutoOptions& options) {
  SlurmOptions slurm;
  // Rank order, so that address i belongs to rank i. The step's own host list is in scontrol's grammar.
  slurm.order(SlurmOrder::rank).grammar(HostListGrammar::scontrol);
  if (options.port()) slurm.port(*options.port());
  if (options.rpc_layer()) slurm.rpc_layer(*options.rpc_layer());
  return make_slurm_resolver(runtime, std::move(slurm), make_slurm_job_resolver(runtime, SlurmJobOptions()));
}

std::shared_ptr<ClusterResolver> mpi_delegate(const Runtime& runtime, const AutoOptions& options) {
  MpiOptions mpi;
  mpi.job(options.job());
  if (options.port()) mpi.port(*options.port());
  if (options.rpc_layer()) mpi.rpc_layer(*options.rpc_layer());
  return make_mpi_resolver(runtime, std::move(mpi));
}

// Pods of the pod's own namespace, listed with the pod's service account.
std::shared_ptr<ClusterResolver> pods_delegate(const Runtime& runtime, const AutoOptions& options, std::string selector) {
  KubernetesOptions pods;
  pods.job(options.job(), {std::move(selector)}).namespace_name(".").executable_location(ExecutableLocation::within_cluster);
  pods.address(PodAddress::pod).order(PodOrder::index).counts_parts(true);
  if (options.port()) pods.port(*options.port());
  if (options.rpc_layer()) pods.rpc_layer(*options.rpc_layer());
  return make_kubernetes_resolver(runtime, std::move(pods));
}

}  // namespace

std::optional<AutoDelegate> make_auto_delegate(const Runtime& runtime, Launcher place, const AutoOptions& options) {
  const Environment& environment = *impl_of(runtime).environment;
  AutoDelegate delegate;
  switch (place) {
    case Launcher::tfconfig: {
      TfConfigOptions tfconfig;
      if (options.task_id()) tfconfig.task_id(*options.task_id());
      if (options.rpc_layer()) tfconfig.rpc_layer(*options.rpc_layer());
      return with_tasks(make_tfconfig_resolver(runtime, std::move(tfconfig)));
    }
    case Launcher::sagemaker: {
      SageMakerOptions sagemaker;
      if (options.port()) sagemaker.port(*options.port());
      if (options.task_id()) sagemaker.task_id(*options.task_id());
      if (options.rpc_layer()) sagemaker.rpc_layer(*options.rpc_layer());
      return with_tasks(make_sagemaker_resolver(runtime, std::move(sagemaker)));
    }
    case Launcher::mpi: return with_tasks(mpi_delegate(runtime, options));
    case Launcher::slurm: return with_tasks(slurm_delegate(runtime, options));
    case Launcher::ray:
      delegate.resolver = pods_delegate(runtime, options, "ray.io/cluster=" + environment.get("RAY_CLUSTER_NAME").value_or(""));
      return delegate;
    case Launcher::job:
      delegate.resolver = pods_delegate(runtime, options, "batch.kubernetes.io/job-name=" + job_of_pod(environment));
      return delegate;
    case Launcher::vertex:
    case Launcher::volcano:
    case Launcher::skypilot:
    case Launcher::lws:
    case Launcher::tpu_pod:
    case Launcher::batch:
    case Launcher::torch:
    case Launcher::jax:
    case Launcher::tpu_vm: break;
  }
  return std::nullopt;
}

}  // namespace rollcall
