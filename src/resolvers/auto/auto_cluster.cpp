#include "resolvers/auto/auto_cluster.hpp"

#include "rollcall/endpoint.hpp"

namespace rollcall {
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
