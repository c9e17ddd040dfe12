// The slice of a TPU VM, from its metadata server's values.
#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
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
  // Where one process has all chips of a host, the bounds of processes are those of hosts.
  for (const auto& [host, chips] :
       {std::pair("HOST_BOUNDS", "CHIPS_PER_HOST_BOUNDS"), std::pair("PROCESS_BOUNDS", "CHIPS_PER_PROCESS_BOUNDS")}) {
    const Result<std::optional<std::string>> hosts = env.value(host);
    if (!hosts) return hosts.error();
    const Result<std::optional<std::string>> chips_per_host = env.value(chips);
    if (!chips_per_host) return chips_per_host.error();
    tpu.host_bounds = hosts->value_or("");
    tpu.chips_per_host_bounds = chips_per_host->value_or("");
    if (*hosts || *chips_per_host) break;
  }
  tpu.name = plain("NODE_ID");
  tpu.project = plain("CONSUMER_PROJECT_ID");
  tpu.zone = plain("ZONE");
  tpu.accelerator_type = type->value_or("");
  tpu.topology = topology->value_or("");
  if (tpu.accelerator_type.empty()) {
    const Result<AcceleratorType> shaped = AcceleratorType::from_config(plain("TYPE"), tpu.topology);
    if (shaped) tpu.accelerator_type = shaped->name();
  }
  tpu.coordinator = plain("MEGASCALE_COORDINATOR_ADDRESS");
  const Result<Endpoint> coordinator = Endpoint::parse(tpu.coordinator);
  if (!tpu.coordinator.empty() && (!coordinator || service_host(coordinator->host).empty()))
    return Failure(Errc::malformed_response, "auto: tpu-env: MEGASCALE_COORDINATOR_ADDRESS is " + not_an_address(tpu.coordinator));
  for (const auto& [name, number] : {std::pair("MEGASCALE_NUM_SLICES", &tpu.num_slices), std::pair("MEGASCALE_SLICE_ID", &tpu.slice_id)}) {
    const std::string text = plain(name);
    *number = parse_decimal<int>(text);
    if (text.empty() || *number) continue;
    return Failure(Errc::malformed_response, fmt::format("auto: tpu-env: {} is {}, no number", name, quoted(text, 80)));
  }
  for (const auto& [name, value] : env.values()) {
    if (name.starts_with("MEGASCALE_") && !value.empty()) tpu.megascale.emplace(name, value);
  }
  return {};
}

// True if the list has this machine: then worker-id, which users may set for other purposes, has a second source.
bool is_listed(const TpuHosts& workers, const TpuVmFacts& facts) {
  const auto has = [](const std::vector<std::string>& list, const std::optional<std::string>& own) {
    return own && std::any_of(list.begin(), list.end(), [&own](const std::string& one) { return HostIdentity(one) == HostIdentity(*own); });
  };
  return has(workers.hosts, facts.address) || has(workers.hosts, facts.name) || has(workers.names, facts.name);
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
  std::vector<Claim> ids = {Claim("agent-worker-number", facts.worker_number.value_or("")),
                            Claim("WORKER_ID in tpu-env", worker_id->value_or("")),
                            Claim("TPU_WORKER_ID", environment.get("TPU_WORKER_ID").value_or(""))};
  const bool has_id = std::any_of(ids.begin(), ids.end(), [](const Claim& id) { return !trim(id.text).empty(); });
  if (!has_id && is_listed(*workers, facts)) ids.emplace_back("worker-id", facts.worker_id.value_or(""));
  const std::vector<Claim> own = {Claim("instance/name", facts.name.value_or("")),
                                  Claim("instance/network-interfaces/0/ip", facts.address.value_or(""))};
  AutoCluster known;
  if (const Result<void> fine = read_tpu_env_values(*env, known.tpu); !fine) return fine.error();
  if (known.tpu.accelerator_type.empty()) known.tpu.accelerator_type = facts.accelerator_type.value_or("");
  if (const Result<void> fine = read_slices(environment, *workers, known); !fine) return fine.error();
  compare_host_bounds("HOST_BOUNDS in tpu-env", bounds->value_or(""), *workers, known);
  settle_type(environment, *workers, known);
  return cluster_of_slices(environment, *workers, ids, own, options, max, std::move(known));
}

}  // namespace rollcall
