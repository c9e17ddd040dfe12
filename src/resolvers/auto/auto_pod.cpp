// Clusters of pods, from the environment variables that webhooks and controllers set.
#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "rollcall/endpoint.hpp"
#include "whoami/own_index.hpp"

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

// The processes of the slice, in the order of TPU_WORKER_ID. TPU_PROCESS_ADDRESSES comes first, as in JAX: hosts of several containers
// stand there with a port for each. Where the numbers differ TPU_WORKER_ID counts what TPU_WORKER_HOSTNAMES lists.
Result<TpuHosts> tpu_processes(const Environment& environment, std::size_t max) {
  const std::string names = environment.get("TPU_WORKER_HOSTNAMES").value_or("");
  const std::string addresses = environment.get("TPU_PROCESS_ADDRESSES").value_or("");
  if (addresses.empty() || (!names.empty() && trim(addresses) == "local")) return parse_host_names("TPU_WORKER_HOSTNAMES", names, max);
  Result<TpuHosts> processes = read_process_addresses(addresses, max);
  if (!processes || names.empty()) return processes;
  Result<TpuHosts> hosts = parse_host_names("TPU_WORKER_HOSTNAMES", names, max);
  return !hosts || hosts->hosts.size() != processes->hosts.size() ? hosts : processes;
}

void compare_lists(const Environment& environment, AutoCluster& known) {
  const std::string names = environment.get("TPU_WORKER_HOSTNAMES").value_or("");
  const std::string addresses = environment.get("TPU_PROCESS_ADDRESSES").value_or("");
  if (names.empty() || addresses.empty() || trim(addresses) == "local") return;
  const std::size_t hosts = split(names, ',').size();
  const std::size_t processes = split(addresses, ',').size();
  if (hosts == processes) return;
  known.contradictions.push_back(fmt::format(
      "TPU_PROCESS_ADDRESSES lists {} processes, which JAX takes, but TPU_WORKER_HOSTNAMES lists {} hosts, which are taken here", processes,
      hosts));
}

Result<AutoCluster> describe_pod(const Environment& environment, const TpuHosts& workers) {
  AutoCluster known;
  compare_lists(environment, known);
  AutoTpu& tpu = known.tpu;
  tpu.accelerator_type = first_value(environment, {"TPU_ACCELERATOR_TYPE", "ACCELERATOR_TYPE"});
  tpu.topology = first_value(environment, {"TPU_TOPOLOGY", "TOPOLOGY"});
  tpu.name = first_value(environment, {"TPU_NAME"});
  std::string_view source;
  tpu.host_bounds = first_value(environment, {"TPU_HOST_BOUNDS", "HOST_BOUNDS"}, &source);
  tpu.chips_per_host_bounds = first_value(environment, {"TPU_CHIPS_PER_HOST_BOUNDS", "CHIPS_PER_HOST_BOUNDS"});
  if (const Result<void> fine = read_slices(environment, workers, known); !fine) return fine.error();
  compare_host_bounds(source, tpu.host_bounds, workers, known);
  settle_type(environment, workers, known);
  return known;
}

// The numbers of these variables. In a pod HOSTNAME is the pod's name, which says the number where no variable does.
std::vector<Claim> ids_of_pod(const Environment& environment, const TpuHosts& workers, std::initializer_list<const char*> names) {
  std::vector<Claim> ids = claims_of(environment, names);
  const bool is_silent = std::all_of(ids.begin(), ids.end(), [](const Claim& id) { return trim(id.text).empty(); });
  if (!is_silent || !is_set(environment, "KUBERNETES_SERVICE_HOST")) return ids;
  const OwnIndex index(worker_candidates(workers), claims_of(environment, {"HOSTNAME"}));
  const Result<std::optional<SettledIndex>> found = index.find_by_host();
  if (found && *found) ids.emplace_back("HOSTNAME", std::to_string((*found)->place));
  return ids;
}

// Several processes of one host share a name: there a process address does not identify this process. Without TPU_WORKER_ID the processes
// of a TPU VM that was shared out by hand are numbered by CLOUD_TPU_TASK_ID.
Result<AutoCluster> read_processes(const Environment& environment, const TpuHosts& workers, const AutoOptions& options, std::size_t max) {
  Result<AutoCluster> known = describe_pod(environment, workers);
  if (!known) return known;
  const bool is_by_hand = !is_set(environment, "TPU_WORKER_HOSTNAMES") && !is_set(environment, "TPU_WORKER_ID");
  const std::vector<Claim> ids = is_by_hand && is_set(environment, "CLOUD_TPU_TASK_ID")
                                     ? claims_of(environment, {"CLOUD_TPU_TASK_ID"})
                                     : ids_of_pod(environment, workers, {"TPU_WORKER_ID"});
  return cluster_of_slices(environment, workers, ids, claims_of(environment, {"HOSTNAME"}), options, max, std::move(*known));
}

std::string label_of(const std::string& host) {
  const Result<Endpoint> endpoint = Endpoint::parse(host);
  return to_lower(std::string_view(endpoint ? endpoint->host : host).substr(0, host.find('.')));
}

// Pods without a TPU, such as a leader, and groups of several slices have other numbers in their group than among the TPU's processes. The
// latter count if this pod is the one that TPU_WORKER_ID says.
Result<void> check_own_process(const Environment& environment, const TpuHosts& processes, const TpuHosts& group, int id) {
  const std::string index_text = environment.get("LWS_WORKER_INDEX").value_or("");
  const std::string host = environment.get("HOSTNAME").value_or("");
  const auto index = parse_decimal<std::size_t>(trim(index_text));
  const std::string& process = processes.hosts[static_cast<std::size_t>(id)];
  const std::string in_group = index && *index < group.hosts.size() ? group.hosts[*index] : std::string();
  for (const std::string& own : {in_group, host}) {
    if (!own.empty() && label_of(own) == label_of(process)) return {};
  }
  if (index && group.hosts.size() == processes.hosts.size() && *index == static_cast<std::size_t>(id)) return {};
  return with_task_hint(
      Failure(Errc::conflict,
              fmt::format("TPU_WORKER_ID is {}, which is {} in {}, but LWS_WORKER_INDEX is {} of a group of {}{}{}: which process this is "
                          "is not known",
                          id, quoted(process, 120), processes.from, quoted(index_text, 20), group.hosts.size(),
                          in_group.empty() ? "" : ", " + quoted(in_group, 120), host.empty() ? "" : ", on " + quoted(host, 120))));
}

}  // namespace

Result<AutoCluster> read_tpu_pod(const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<TpuHosts> workers = tpu_processes(environment, max);
  return workers ? read_processes(environment, *workers, options, max) : workers.error();
}

Result<AutoCluster> read_lws(const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<TpuHosts> workers =
      group_hosts(environment.get("LWS_LEADER_ADDRESS").value_or(""), environment.get("LWS_GROUP_SIZE").value_or(""), max);
  if (!workers) return workers.error();
  const bool has_list = !first_value(environment, {"TPU_PROCESS_ADDRESSES", "TPU_WORKER_HOSTNAMES"}).empty();
  const Result<TpuHosts> processes = has_list ? tpu_processes(environment, max) : *workers;
  if (!processes) return processes.error();
  // A slice of one host calls it localhost, which says nothing about the group.
  const bool is_alone = processes->hosts.size() == 1 && is_near_host(label_of(processes->hosts.front()));
  if (has_list && !is_alone) {
    Result<AutoCluster> cluster = read_processes(environment, *processes, options, max);
    if (!cluster || options.task_id()) return cluster;
    const Result<void> fine = check_own_process(environment, *processes, *workers, cluster->task_id % cluster->tpu.slice_tasks);
    if (!fine) return fine.error();
    return cluster;
  }
  Result<AutoCluster> known = describe_pod(environment, *processes);
  if (!known) return known;
  return cluster_of_slices(environment, *workers, ids_of_pod(environment, *workers, {"LWS_WORKER_INDEX"}),
                           claims_of(environment, {"HOSTNAME"}), options, max, std::move(*known));
}

}  // namespace rollcall
