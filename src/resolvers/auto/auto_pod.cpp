// Clusters of pods, from the environment variables that webhooks and controllers set.
#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

std::vector<Claim> claims_of(const Environment& environment, std::initializer_list<const char*> names) {
  std::vector<Claim> claims;
  for (const char* const name : names) claims.emplace_back(name, environment.get(name).value_or(""));
  return claims;
}

std::string first_value(const Environment& environment, std::initializer_list<std::string_view> names, std::string_view* which = nullptr) {
  for (const std::string_view name : names) {
    std::string value = environment.get(name).value_or("");
    if (value.empty()) continue;
    if (which) *which = name;
    return value;
  }
  return {};
}

// Process addresses have ports. On some single-host slices an address is `local`.
Result<TpuHosts> read_process_addresses(const std::string& text, std::size_t max) {
  constexpr const char* name = "TPU_PROCESS_ADDRESSES";
  TpuHosts list;
  list.from = name;
  if (trim(text) == "local") {
    list.hosts.emplace_back("localhost");
    return list;
  }
  const Result<std::vector<Endpoint>> endpoints = parse_endpoint_list(text);
  if (!endpoints) {
    Failure failure = endpoints.error();
    failure.with_what(fmt::format("auto: {}: {}", name, failure.what()));
    return failure;
  }
  if (endpoints->size() > max) return Failure(Errc::limit_exceeded, fmt::format("auto: {} lists more than {} hosts", name, max));
  for (const Endpoint& endpoint : *endpoints) {
    if (service_host(endpoint.host).empty())
      return Failure(Errc::invalid_argument, fmt::format("auto: {}: a host is {}", name, not_an_address(endpoint.host)));
    list.hosts.push_back(endpoint.to_text());
  }
  return list;
}

// `name-0.service.namespace` → `name-0-1.service.namespace`
Result<TpuHosts> group_hosts(const std::string& leader, const std::string& size_text, std::size_t max) {
  const Result<Endpoint> endpoint = Endpoint::parse(leader);
  if (!endpoint || endpoint->port || service_host(leader).empty() || is_ipv4_literal(leader) || is_ipv6_literal(leader, true)) {
    return Failure(Errc::invalid_argument, fmt::format("auto: LWS_LEADER_ADDRESS is {}, no host name", quoted(leader, 120)))
        .with_hint("a leader is called NAME-GROUP.SERVICE.NAMESPACE, and the workers by the same with their index");
  }
  const auto size = parse_decimal<std::size_t>(trim(size_text), 1, max);
  if (!size)
    return Failure(Errc::invalid_argument, fmt::format("auto: LWS_GROUP_SIZE is {}, no number from 1 to {}", quoted(size_text, 80), max));
  TpuHosts list;
  list.from = "the group";
  list.hosts.push_back(leader);
  const std::size_t dot = std::min(leader.find('.'), leader.size());
  for (std::size_t i = 1; i < *size; ++i) list.hosts.push_back(fmt::format("{}-{}{}", leader.substr(0, dot), i, leader.substr(dot)));
  return list;
}

void read_pod_tpu(const Environment& environment, AutoTpu& tpu) {
  tpu.accelerator_type = first_value(environment, {"TPU_ACCELERATOR_TYPE", "ACCELERATOR_TYPE"});
  tpu.topology = first_value(environment, {"TPU_TOPOLOGY", "TOPOLOGY"});
  tpu.name = first_value(environment, {"TPU_NAME"});
}

}  // namespace

Result<AutoCluster> read_tpu_pod(const Environment& environment, const AutoOptions& options, std::size_t max) {
  const std::string names = environment.get("TPU_WORKER_HOSTNAMES").value_or("");
  Result<TpuHosts> workers = names.empty() ? read_process_addresses(environment.get("TPU_PROCESS_ADDRESSES").value_or(""), max)
                                           : parse_host_names("TPU_WORKER_HOSTNAMES", names, max);
  if (!workers) return workers.error();
  // Several processes of one host share a name: a process address does not identify this process among them.
  std::vector<Claim> own = claims_of(environment, {"HOSTNAME"});
  Result<AutoCluster> cluster = cluster_of_hosts(*workers, claims_of(environment, {"TPU_WORKER_ID"}), own, options);
  if (!cluster) return cluster.error();
  read_pod_tpu(environment, cluster->tpu);
  if (const Result<void> fine = read_slices(environment, *cluster); !fine) return fine.error();
  if (!names.empty()) {
    std::string_view source;
    const std::string bounds = first_value(environment, {"TPU_HOST_BOUNDS", "HOST_BOUNDS"}, &source);
    compare_host_bounds(source, bounds, *workers, *cluster);
  }
  return cluster;
}

Result<AutoCluster> read_lws(const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<TpuHosts> workers =
      group_hosts(environment.get("LWS_LEADER_ADDRESS").value_or(""), environment.get("LWS_GROUP_SIZE").value_or(""), max);
  if (!workers) return workers.error();
  Result<AutoCluster> cluster =
      cluster_of_hosts(*workers, claims_of(environment, {"LWS_WORKER_INDEX"}), claims_of(environment, {"HOSTNAME"}), options);
  if (!cluster) return cluster.error();
  read_pod_tpu(environment, cluster->tpu);
  if (const Result<void> fine = read_slices(environment, *cluster); !fine) return fine.error();
  return cluster;
}

}  // namespace rollcall
