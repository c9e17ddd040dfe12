#include "resolvers/auto/auto_cluster.hpp"

#include "rollcall/endpoint.hpp"

namespace rollcall {

Result<AutoCluster> read_place(Launcher place, const TpuVmFacts& facts, const Environment& environment, const AutoOptions& options,
                               std::size_t max) {
  switch (place) {
    case Launcher::vertex: return read_vertex(environment, options, max);
    case Launcher::lws: return read_lws(environment, options, max);
    case Launcher::tpu_pod: return read_tpu_pod(environment, options, max);
    case Launcher::volcano: return read_volcano(environment, options, max);
    case Launcher::skypilot: return read_skypilot(environment, options, max);
    case Launcher::batch:
    case Launcher::torch:
    case Launcher::jax: return read_first_host_cluster(place, environment, options, max);
    case Launcher::tfconfig:
    case Launcher::sagemaker:
    case Launcher::mpi:
    case Launcher::slurm:
    case Launcher::ray:
    case Launcher::job:
    case Launcher::tpu_vm: break;
  }
  return read_tpu_vm(facts, environment, options, max);
}

Result<AutoCluster> cluster_of_hosts(const TpuHosts& workers, const std::vector<Claim>& ids, const std::vector<Claim>& own,
                                     const AutoOptions& options) {
  AutoCluster cluster;
  if (options.task_id()) {
    const std::vector<Claim> given = {Claim("task", std::to_string(*options.task_id()))};
    const Result<int> id = settle_worker_id(workers, given, {});
    if (!id) return id.error();
    cluster.task_id = *id;
  } else {
    const Result<int> id = settle_worker_id(workers, ids, own);
    if (!id) return id.error();
    cluster.task_id = *id;
  }
  std::vector<std::string> addresses;
  for (const std::string& host : workers.hosts) {
    // Only TPU_PROCESS_ADDRESSES has ports of its own.
    Result<Endpoint> endpoint = Endpoint::parse(host);
    if (!endpoint) return endpoint.error();
    if (!endpoint->port) endpoint->port = options.port().value_or(default_worker_port);
    addresses.push_back(endpoint->to_text());
  }
  cluster.spec.set_job(options.job(), std::move(addresses));
  return cluster;
}

}  // namespace rollcall
