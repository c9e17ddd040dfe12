#include "resolvers/tpu/tpu_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "cluster/endpoint_text.hpp"

namespace rollcall {

Failure about_tpu(std::string_view tpu, Failure failure) {
  const std::string name = "TPU " + quoted(tpu);
  if (!failure.what().starts_with(name)) failure.with_what(fmt::format("{}: {}", name, failure.what()));
  return failure;
}

bool is_on_its_way(std::string_view state) noexcept {
  return state == "CREATING" || state == "STARTING" || state == "RESTARTING" || state == "REIMAGING" || state == "REPAIRING" ||
         state == "UNHIDING";
}

namespace {

// The hint for a state [facts: tpu-states].
std::string_view advice(std::string_view state) {
  if (is_on_its_way(state)) {
    return "it is on its way: rollcall wait (wait_until_ready) waits for it";
  }
  if (state == "STOPPED" || state == "STOPPING") return "start it: gcloud compute tpus tpu-vm start";
  if (state == "PREEMPTED" || state == "TERMINATED" || state == "DELETING" || state == "HIDING" || state == "HIDDEN")
    return "it is gone: recreate it";
  return {};
}

Failure malformed(std::string_view tpu, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("TPU {}: {}", quoted(tpu), what));
}

using Endpoints = std::vector<TpuNode::NetworkEndpoint>;

// An endpoint that occurs twice, or null. Most slices are small: for these no memory is allocated.
const TpuNode::NetworkEndpoint* find_twice(const Endpoints& endpoints) {
  const auto is_same = [](const TpuNode::NetworkEndpoint& a, const TpuNode::NetworkEndpoint& b) {
    return a.ip_address == b.ip_address && a.port == b.port;
  };
  constexpr std::size_t small = 8;
  if (endpoints.size() <= small) {
    for (auto at = endpoints.begin(); at != endpoints.end(); ++at) {
      if (std::any_of(endpoints.begin(), at, [&](const TpuNode::NetworkEndpoint& other) { return is_same(other, *at); })) return &*at;
    }
    return nullptr;
  }
  std::vector<const TpuNode::NetworkEndpoint*> sorted;
  sorted.reserve(endpoints.size());
  for (const TpuNode::NetworkEndpoint& endpoint : endpoints) sorted.push_back(&endpoint);
  std::sort(sorted.begin(), sorted.end(), [](const TpuNode::NetworkEndpoint* a, const TpuNode::NetworkEndpoint* b) {
    return std::tie(a->ip_address, a->port) < std::tie(b->ip_address, b->port);
  });
  const auto at = std::adjacent_find(sorted.begin(), sorted.end(),
                                     [&](const TpuNode::NetworkEndpoint* a, const TpuNode::NetworkEndpoint* b) { return is_same(*a, *b); });
  return at == sorted.end() ? nullptr : *at;
}

Failure not_ready(std::string_view tpu, const TpuNode& node) {
  const std::string state =
      node.state.empty() ? "the API gives no state (None)" : fmt::format("its state is {}", printable(node.state, 64));
  const std::string health =
      node.health_description.empty() ? std::string() : fmt::format(" ({})", printable(node.health_description, 200));
  return Failure(Errc::not_ready, fmt::format("TPU {} is not ready: {}{}", quoted(tpu), state, health))
      .with_hint(std::string(advice(node.state)));
}

// True if the node is READY, each worker has an address, and no two endpoints are equal.
Result<void> check_workers(std::string_view tpu, const TpuNode& node) {
  if (node.state != "READY") return not_ready(tpu, node);
  if (!node.has_network_endpoints) {
    if (!node.refused_ip.empty()) return malformed(tpu, node.refused_ip);
    if (node.ip_address.empty()) return malformed(tpu, "it is READY but the answer has no endpoints");
    return {};
  }
  for (const TpuNode::NetworkEndpoint& endpoint : node.network_endpoints) {
    if (!endpoint.refused_ip.empty()) return malformed(tpu, endpoint.refused_ip);
    const auto index = &endpoint - node.network_endpoints.data();
    if (endpoint.ip_address.empty()) return malformed(tpu, fmt::format("networkEndpoints[{}] has no ipAddress", index));
  }
  if (const TpuNode::NetworkEndpoint* twice = find_twice(node.network_endpoints)) {
    const std::string shown = endpoint_text(twice->ip_address, twice->port);
    return malformed(tpu, fmt::format("two workers have the address {}", printable(shown, 80)));
  }
  return {};
}

// Calls `visit(ip, port)` for each worker. The node's workers must have been checked.
template <class Visit>
void each_worker(const TpuNode& node, Visit visit) {
  if (!node.has_network_endpoints) visit(node.ip_address, node.port);
  for (const TpuNode::NetworkEndpoint& endpoint : node.network_endpoints) visit(endpoint.ip_address, endpoint.port);
}

}  // namespace

Result<std::vector<Endpoint>> worker_endpoints(std::string_view tpu, const TpuNode& node) {
  const Result<void> fine = check_workers(tpu, node);
  if (!fine) return fine.error();
  std::vector<Endpoint> endpoints;
  endpoints.reserve(std::max<std::size_t>(node.network_endpoints.size(), 1));
  each_worker(node, [&endpoints](const std::string& ip, std::optional<std::uint16_t> port) { endpoints.emplace_back(ip, port); });
  return endpoints;
}

Result<ClusterSpec::Tasks> worker_tasks(std::string_view tpu, const TpuNode& node) {
  const Result<void> fine = check_workers(tpu, node);
  if (!fine) return fine.error();
  ClusterSpec::Tasks tasks;
  tasks.reserve(std::max<std::size_t>(node.network_endpoints.size(), 1));
  std::optional<Failure> fault;
  int worker = 0;
  each_worker(node, [&](const std::string& ip, std::optional<std::uint16_t> port) {
    if (!port && !fault) fault = malformed(tpu, fmt::format("worker {} ({}) has no port", worker, printable(ip, 64)));
    tasks.emplace(worker++, endpoint_text(ip, port));
  });
  if (fault) return *fault;
  return tasks;
}

Result<AcceleratorType> accelerator_of(std::string_view tpu, const TpuNode& node) {
  Result<AcceleratorType> type = Failure();
  if (!node.accelerator_config_type.empty() && !node.accelerator_config_topology.empty()) {
    type = AcceleratorType::from_config(node.accelerator_config_type, node.accelerator_config_topology);
  } else if (!node.accelerator_type.empty()) {
    type = AcceleratorType::parse(node.accelerator_type);
  } else {
    return malformed(tpu, "the answer has neither acceleratorType nor acceleratorConfig, so its accelerators are not known");
  }
  if (!type) {
    Failure failure = about_tpu(tpu, type.error());
    // The type is not the caller's argument: the hint about the format of types does not apply.
    if (failure.code() == Errc::invalid_argument) failure.with_code(Errc::malformed_response).with_hint({});
    return failure;
  }
  const Result<AcceleratorType> by_name = AcceleratorType::parse(node.accelerator_type);
  if (by_name && by_name->chips() != type->chips()) {
    return malformed(tpu, fmt::format("its acceleratorType is {}, but its acceleratorConfig, {} {}, is {}", by_name->name(),
                                      printable(node.accelerator_config_type, 64), type->topology().to_text(), type->name()));
  }
  Result<AcceleratorType> as_listed = type->on_hosts(static_cast<int>(node.network_endpoints.size()));
  return as_listed ? as_listed : type;
}

AcceleratorCounts counts_of(const AcceleratorType& type) {
  std::map<std::string, int, std::less<>> counts;
  counts.emplace("TPU", type.devices_per_host());
  return AcceleratorCounts(std::move(counts), CountSource::accelerator_type);
}

std::optional<Accelerators> machine_accelerators(const AcceleratorType& type, int machines) {
  if (machines != type.hosts()) return std::nullopt;
  Accelerators each("TPU", type.devices_per_host(), "accelerator type");
  each.model = to_string(type.generation());
  each.is_shared = true;
  return each;
}

}  // namespace rollcall
