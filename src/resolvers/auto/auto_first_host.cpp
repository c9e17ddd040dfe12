// Clusters whose variables name the first host and the number of hosts: torchrun, Kubeflow, launchers with the same variables, AWS Batch.
// The other hosts are known if a controller names its hosts by a rule.
#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/own_task.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {
namespace {

constexpr const char* jax_job_address = "COORDINATOR_ADDRESS";
constexpr const char* batch_index = "AWS_BATCH_JOB_NODE_INDEX";
constexpr const char* batch_count = "AWS_BATCH_JOB_NUM_NODES";
constexpr std::uint16_t torch_port = 29500;  // the default of torchrun and Kubeflow Trainer

int bounded(std::size_t max) { return static_cast<int>(std::min<std::size_t>(max, 1'000'000'000)); }

// The values of the variables.
class FirstHost {
 public:
  std::string source;  // PET_MASTER_ADDR
  std::string host;
  std::optional<std::uint16_t> port;
  std::optional<DeclaredCount> count;
};

// A host in PyTorch's format, which has neither brackets nor a port.
Result<void> read_torch_address(const Environment& environment, FirstHost& first) {
  for (const auto& [name, port_name] : {std::pair("PET_MASTER_ADDR", "PET_MASTER_PORT"), std::pair("MASTER_ADDR", "MASTER_PORT")}) {
    const std::string text = environment.get(name).value_or("");
    if (text.empty()) continue;
    if (service_host(text).empty() || text.front() == '[') {
      return Failure(Errc::invalid_argument,
                     fmt::format("{} is {}, no host name and no address (IPv6 stands there without brackets, a port in {})", name,
                                 quoted(text, 120), port_name));
    }
    const Result<std::optional<int>> port = number_variable(environment, port_name, 1, 65535);
    if (!port) return port.error();
    first.source = name;
    first.host = text;
    first.port = static_cast<std::uint16_t>(port->value_or(torch_port));
    return {};
  }
  return {};
}

// Each index must be below its count: an index that is not belongs to no process.
Result<void> check_ranks(const Environment& environment, int max) {
  for (const auto& [rank, size] : {std::pair("PET_NODE_RANK", "PET_NNODES"), std::pair("GROUP_RANK", "GROUP_WORLD_SIZE"),
                                   std::pair("RANK", "WORLD_SIZE"), std::pair("LOCAL_RANK", "LOCAL_WORLD_SIZE"),
                                   std::pair("JAX_PROCESS_ID", "JAX_NUM_PROCESSES"), std::pair(batch_index, batch_count)}) {
    const Result<std::optional<int>> index = number_variable(environment, rank, 0, max);
    if (!index) return index.error();
    const Result<std::optional<DeclaredCount>> count = count_variable(environment, {size}, max);
    if (!count) return count.error();
    if (*index && *count && **index >= (*count)->high)
      return Failure(Errc::invalid_argument, fmt::format("{} is {}, but {} is {}", rank, **index, size, (*count)->high));
  }
  return {};
}

// Counts nodes: torchrun's agents or a controller's pods. If no variable counts nodes, counts processes [facts: torchrun-environment].
Result<std::optional<DeclaredCount>> torch_count(const Environment& environment, int max) {
  Result<std::optional<DeclaredCount>> nodes = count_variable(environment, {"GROUP_WORLD_SIZE", "PET_NNODES"}, max);
  if (!nodes || *nodes) return nodes;
  Result<std::optional<DeclaredCount>> processes = count_variable(environment, {"WORLD_SIZE"}, max);
  const Result<std::optional<DeclaredCount>> local = count_variable(environment, {"LOCAL_WORLD_SIZE"}, max);
  if (!processes || !*processes) return processes;
  if (!local) return local.error();
  if (*local && (*processes)->high % (*local)->high == 0) {
    (*processes)->low = (*processes)->high /= (*local)->high;
    (*processes)->source += " by LOCAL_WORLD_SIZE";
  }
  if (*local) return processes;
  // Lightning's and some services' number of nodes, if it fits.
  Result<std::optional<DeclaredCount>> others = count_variable(environment, {"NNODES", "NUM_NODES"}, max);
  if (others && *others && (*others)->is_fixed() && (*processes)->high % (*others)->high == 0) return others;
  return processes;
}

Result<FirstHost> read_torch(const Environment& environment, int max) {
  FirstHost first;
  const Result<void> read = read_torch_address(environment, first);
  if (!read) return read.error();
  Result<std::optional<DeclaredCount>> count = torch_count(environment, max);
  if (!count) return count.error();
  first.count = *std::move(count);
  // PET_NNODES=1 is a complete cluster without an address.
  if (first.source.empty() && first.count && first.count->source == "PET_NNODES" && first.count->high == 1) {
    first.source = first.count->source;
    first.host = "localhost";
    first.port = torch_port;
  }
  if (first.source.empty()) {
    const bool is_empty = environment.get("PET_MASTER_ADDR") || environment.get("MASTER_ADDR");
    return Failure(Errc::not_found, fmt::format("{}PET_MASTER_ADDR and MASTER_ADDR are {}",
                                                first.count ? first.count->source + " is set, but " : "", is_empty ? "empty" : "not set"));
  }
  if (!first.count) return Failure(Errc::not_found, fmt::format("{} is set, but PET_NNODES and WORLD_SIZE are not", first.source));
  return first;
}

// A JAXJob's variables, whose names other programs may use otherwise. [facts: jaxjob-hosts]
Result<FirstHost> read_jax_job(const Environment& environment, int max) {
  FirstHost first;
  first.source = jax_job_address;
  Result<std::optional<DeclaredCount>> count = count_variable(environment, {"NUM_PROCESSES"}, max);
  if (!count) return count.error();
  first.count = *std::move(count);
  if (!first.count) return Failure(Errc::not_found, first.source + " is set, but NUM_PROCESSES is not");
  const std::string text = environment.get(first.source).value_or("");
  const Result<Endpoint> endpoint = Endpoint::parse(text);
  if (!endpoint || service_host(endpoint->host).empty())
    return Failure(Errc::invalid_argument, fmt::format("{} is {}, no host", first.source, quoted(text, 120)));
  const Result<std::optional<int>> port = number_variable(environment, "COORDINATOR_PORT", 1, 65535);
  if (!port) return port.error();
  first.host = endpoint->host;
  first.port = endpoint->port;
  if (*port) first.port = static_cast<std::uint16_t>(**port);
  return first;
}

Result<FirstHost> read_jax(const Environment& environment, int max) {
  FirstHost first;
  first.source = "JAX_COORDINATOR_ADDRESS";
  const std::string text = environment.get(first.source).value_or("");
  if (text.empty() && is_set(environment, jax_job_address)) return read_jax_job(environment, max);
  if (text.empty()) return Failure(Errc::not_found, first.source + " is not set");
  Result<std::optional<DeclaredCount>> count = count_variable(environment, {"JAX_NUM_PROCESSES"}, max);
  if (!count) return count.error();
  first.count = *std::move(count);
  if (!first.count) return Failure(Errc::not_found, first.source + " is set, but JAX_NUM_PROCESSES is not");
  const Result<Endpoint> endpoint = Endpoint::parse(text);
  if (!endpoint || service_host(endpoint->host).empty())
    return Failure(Errc::invalid_argument, fmt::format("{} is {}, no host:port", first.source, quoted(text, 120)));
  first.host = endpoint->host;
  first.port = endpoint->port;
  return first;
}

// A node is given the main node's address alone, and the main node none. [facts: aws-batch-nodes]
Failure only_the_main(const Environment& environment, int count, int max) {
  const Result<std::optional<int>> index = number_variable(environment, batch_index, 0, max);
  if (!index) return index.error();
  const Result<std::optional<int>> main = number_variable(environment, "AWS_BATCH_JOB_MAIN_NODE_INDEX", 0, max);
  if (!main) return main.error();
  const std::string address = environment.get("AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS").value_or("");
  const bool is_main = *index && *main && **index == **main;
  std::string known;
  if (*index) known += fmt::format(", {} is {}{}", batch_index, **index, is_main ? ", the main node" : "");
  if (*main && !is_main) known += fmt::format(", the main node is {}", **main);
  if (!address.empty()) known += ", at " + quoted(address, 80);
  return Failure(Errc::failed_precondition,
                 fmt::format("the {} nodes of this AWS Batch job are not known: {} is {}{}, and Batch tells a node no {}address", count,
                             batch_count, count, known, address.empty() ? "" : "other "))
      .with_hint("list the nodes in the order of their index (simple:job.worker=HOST+HOST, file:PATH)");
}

Result<FirstHost> read_batch(const Environment& environment, int max) {
  FirstHost first;
  first.source = batch_count;
  Result<std::optional<DeclaredCount>> count = count_variable(environment, {batch_count}, max);
  if (!count) return count.error();
  if (!*count) return Failure(Errc::not_found, first.source + " is not set");
  if ((*count)->high > 1) return only_the_main(environment, (*count)->high, max);
  first.count = *std::move(count);
  first.host = "localhost";
  return first;
}

Result<FirstHost> read_first(Launcher place, const Environment& environment, int max) {
  if (place == Launcher::batch) return read_batch(environment, max);
  return place == Launcher::jax ? read_jax(environment, max) : read_torch(environment, max);
}

class NamedHosts {
 public:
  std::string_view giver;          // empty if no rule is known
  std::vector<std::string> hosts;
  bool needs_own_name = false;     // the name's form alone proves nothing: other machines may have such names
};

// [facts: trainer-hosts, pytorchjob-hosts, jaxjob-hosts]
NamedHosts hosts_by_rule(const std::string& source, const std::string& first, int count) {
  NamedHosts named;
  const std::string label(first_label(first));
  const std::string domain = first.substr(label.size());
  const std::string job(first_label(std::string_view(domain).substr(domain.empty() ? 0 : 1)));
  constexpr std::string_view master = "-master-0";
  constexpr std::string_view worker = "-worker-0";
  if (!job.empty() && label == job + "-node-0-0") {
    named.giver = "Kubeflow Trainer";
    for (int i = 0; i < count; ++i) named.hosts.push_back(fmt::format("{}-node-0-{}{}", job, i, domain));
  } else if (domain.empty() && label.size() > master.size() && label.ends_with(master)) {
    named.giver = "a PyTorchJob";
    named.needs_own_name = true;
    named.hosts.push_back(first);
    for (int i = 1; i < count; ++i)
      named.hosts.push_back(fmt::format("{}-worker-{}", label.substr(0, label.size() - master.size()), i - 1));
  } else if (source == jax_job_address && domain.empty() && label.size() > worker.size() && label.ends_with(worker)) {
    named.giver = "a JAXJob";
    named.needs_own_name = true;
    for (int i = 0; i < count; ++i) named.hosts.push_back(fmt::format("{}-{}", label.substr(0, label.size() - 2), i));
  }
  return named;
}

Failure only_the_first(const FirstHost& first, const std::string& why) {
  const std::string count =
      first.count->is_fixed() ? std::to_string(first.count->high) : fmt::format("{} to {}", first.count->low, first.count->high);
  return Failure(Errc::failed_precondition, fmt::format("only the first of {} hosts is known: {} is {}, {} is {}, and {}", count,
                                                        first.source, quoted(first.host, 120), first.count->source, count, why))
      .with_hint(
          "list the hosts (simple:job.worker=HOST+HOST, file:PATH), or name who knows them, such as kubernetes:NAMESPACE/KIND/NAME or "
          "tpu:NAME");
}

Result<std::vector<std::string>> all_hosts(const FirstHost& first, const Environment& environment) {
  if (!first.count->is_fixed()) return only_the_first(first, "their number is settled at the rendezvous");
  const int count = first.count->high;
  if (count == 1) return std::vector<std::string>{first.host};
  NamedHosts named = hosts_by_rule(first.source, first.host, count);
  if (named.giver.empty()) return only_the_first(first, "no rule that is known says what the others are called");
  const std::string own = environment.get("HOSTNAME").value_or("");
  if (own.empty() && !named.needs_own_name) return std::move(named.hosts);
  const auto is_own = [&own](const std::string& host) { return equals_ignoring_case(first_label(host), first_label(own)); };
  if (std::any_of(named.hosts.begin(), named.hosts.end(), is_own)) return std::move(named.hosts);
  return only_the_first(first, own.empty() ? fmt::format("HOSTNAME, which would show that {} named the hosts, is not set", named.giver)
                                           : fmt::format("HOSTNAME is {}, none of the names that {} gives", quoted(own, 80), named.giver));
}

}  // namespace

Result<TpuHosts> first_host_cluster(Launcher place, const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<FirstHost> first = read_first(place, environment, bounded(max));
  if (!first) return first.error();
  const Result<void> fine = check_ranks(environment, bounded(max));
  if (!fine) return fine.error();
  const Result<std::vector<std::string>> hosts = all_hosts(*first, environment);
  if (!hosts) return hosts.error();
  TpuHosts list;
  list.from = fmt::format("{} and {}", first->source, first->count->source);
  if (first->source == first->count->source) list.from = first->source;
  const std::uint16_t port = options.port().value_or(first->port.value_or(default_worker_port));
  for (const std::string& host : *hosts) list.hosts.push_back(Endpoint(host, port).to_text());
  return list;
}

Result<AutoCluster> read_first_host_cluster(Launcher place, const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<TpuHosts> hosts = first_host_cluster(place, environment, options, max);
  if (!hosts) return of_auto(hosts.error());
  AutoCluster cluster;
  cluster.spec.set_job(options.job(), hosts->hosts);
  if (options.task_id()) {
    const std::vector<Claim> given = {Claim("task", std::to_string(*options.task_id()))};
    const Result<int> id = settle_worker_id(*hosts, given, {});
    if (!id) return id.error();
    cluster.task_id = *id;
    return cluster;
  }
  if (hosts->hosts.size() == 1) return cluster;  // the only host is this process's host
  OwnMachine machine;
  machine.names.push_back(environment.get("HOSTNAME").value_or(""));
  const Result<OwnTask> own = find_own_task(cluster.spec, environment, machine);
  if (own) {
    cluster.task_id = own->index;
    return cluster;
  }
  Failure failure = own.error();
  if (failure.code() == Errc::not_found) failure.with_code(Errc::failed_precondition);
  return with_task_hint(std::move(failure));
}

Result<std::vector<Claim>> trainer_claims(const Environment& environment, std::size_t pods, std::size_t max) {
  std::vector<Claim> claims;
  for (const auto& [index, size] : {std::pair("PET_NODE_RANK", "PET_NNODES"), std::pair("JAX_PROCESS_ID", "JAX_NUM_PROCESSES")}) {
    const Result<std::optional<DeclaredCount>> count = count_variable(environment, {size}, bounded(max));
    if (!count) return of_auto(count.error());
    const bool is_other = *count && (pods < static_cast<std::size_t>((*count)->low) || pods > static_cast<std::size_t>((*count)->high));
    if (!is_other) claims.emplace_back(index, environment.get(index).value_or(""));
  }
  return claims;
}

}  // namespace rollcall
