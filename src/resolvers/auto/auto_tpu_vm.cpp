// The slice of a TPU VM, from its metadata server's values.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "resolvers/tpu/wire/tpu_env.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

Result<TpuHosts> hosts_of_vm(const TpuVmFacts& facts, const std::string& bounds, std::size_t max) {
  if (facts.endpoints) return parse_worker_network_endpoints(*facts.endpoints, max);
  // A TPU of one machine may have no list: then this machine is the whole TPU.
  if (bounds == "1,1,1" && facts.address) {
    const std::string_view ip = service_ip(*facts.address);
    if (ip.empty()) {
      return Failure(Errc::malformed_response,
                     "auto: the metadata server's instance/network-interfaces/0/ip is " + not_an_address(*facts.address));
    }
    TpuHosts list;
    list.from = "HOST_BOUNDS 1,1,1";
    list.hosts.emplace_back(ip);
    list.names.push_back(facts.name.value_or(*facts.address));
    return list;
  }
  return Failure(Errc::malformed_response,
                 "auto: this is a TPU VM, but its metadata server has no worker-network-endpoints: the other hosts are not known")
      .with_hint("name the TPU: tpu:NAME");
}

// Keys with several spellings. For the number of slices the last known value counts, since the environment is compared with it.
Result<void> read_tpu_env_values(const TpuEnv& env, AutoTpu& tpu) {
  const auto plain = [&env](const char* name) {
    const auto at = env.values().find(name);
    return at == env.values().end() ? std::string() : at->second;
  };
  const Result<std::optional<std::string>> type = env.value("ACCELERATOR_TYPE");
  if (!type) return type.error();
  const Result<std::optional<std::string>> topology = env.value("TOPOLOGY");
  if (!topology) return topology.error();
  tpu.name = plain("NODE_ID");
  tpu.project = plain("CONSUMER_PROJECT_ID");
  tpu.zone = plain("ZONE");
  tpu.accelerator_type = type->value_or("");
  tpu.topology = topology->value_or("");
  tpu.coordinator = plain("MEGASCALE_COORDINATOR_ADDRESS");
  const Result<Endpoint> coordinator = Endpoint::parse(tpu.coordinator);
  if (!tpu.coordinator.empty() && (!coordinator || service_host(coordinator->host).empty()))
    return Failure(Errc::malformed_response, "auto: tpu-env: MEGASCALE_COORDINATOR_ADDRESS is " + not_an_address(tpu.coordinator));
  tpu.num_slices = parse_decimal<int>(plain("MEGASCALE_NUM_SLICES"));
  tpu.slice_id = parse_decimal<int>(plain("MEGASCALE_SLICE_ID"));
  return {};
}

}  // namespace

Result<AutoCluster> read_tpu_vm(const TpuVmFacts& facts, const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<TpuEnv> env = TpuEnv::parse(facts.env.value_or(""));
  if (!env) return env.error();
  const Result<std::optional<std::string>> bounds = env->value("HOST_BOUNDS");
  if (!bounds) return bounds.error();
  const Result<TpuHosts> workers = hosts_of_vm(facts, bounds->value_or(""), max);
  if (!workers) return workers.error();
  const Result<std::optional<std::string>> worker_id = env->value("WORKER_ID");
  if (!worker_id) return worker_id.error();
  const std::vector<Claim> ids = {Claim("agent-worker-number", facts.worker_number.value_or("")),
                                  Claim("WORKER_ID in tpu-env", worker_id->value_or("")),
                                  Claim("TPU_WORKER_ID", environment.get("TPU_WORKER_ID").value_or(""))};
  const std::vector<Claim> own = {Claim("instance/name", facts.name.value_or("")),
                                  Claim("instance/network-interfaces/0/ip", facts.address.value_or(""))};
  Result<AutoCluster> cluster = cluster_of_hosts(*workers, ids, own, options);
  if (!cluster) return cluster.error();
  if (const Result<void> fine = read_tpu_env_values(*env, cluster->tpu); !fine) return fine.error();
  if (cluster->tpu.accelerator_type.empty()) cluster->tpu.accelerator_type = facts.accelerator_type.value_or("");
  if (const Result<void> fine = read_slices(environment, *cluster); !fine) return fine.error();
  compare_host_bounds("HOST_BOUNDS in tpu-env", bounds->value_or(""), *workers, *cluster);
  return cluster;
}

}  // namespace rollcall
