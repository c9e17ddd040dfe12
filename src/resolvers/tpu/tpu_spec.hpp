// Addresses, spec and counts from a TPU node's description. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "resolvers/tpu/wire/tpu_node.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {

/// Adds the TPU's name to the message, unless it names the TPU already.
Failure about_tpu(std::string_view tpu, Failure failure);

/// True for a state that becomes READY by itself [facts: tpu-states].
bool is_on_its_way(std::string_view state) noexcept;

/// The node must be READY. The endpoints are in the API's order, which is worker order; some may have no port. Errors: not_ready
/// naming TPU and state; malformed_response (READY without endpoints, one without a valid address, two equal).
/// [facts: tpu-endpoints, tpu-ports]
Result<std::vector<Endpoint>> worker_endpoints(std::string_view tpu, const TpuNode& node);
/// `host:port` of each, by worker. Errors: also malformed_response for a missing port.
Result<ClusterSpec::Tasks> worker_tasks(std::string_view tpu, const TpuNode& node);

/// The node's accelerators, on the hosts that it lists: by acceleratorConfig, which has the topology, or else by acceleratorType. Errors:
/// malformed_response if the node has neither, if they are invalid, or if their numbers of chips differ; not_found for an unknown
/// generation.
Result<AcceleratorType> accelerator_of(std::string_view tpu, const TpuNode& node);
/// The counts of each host by the type.
AcceleratorCounts counts_of(const AcceleratorType& type);
/// The accelerators of each machine of a slice; none if the type has another number of machines.
std::optional<Accelerators> machine_accelerators(const AcceleratorType& type, int machines);

}  // namespace rollcall
