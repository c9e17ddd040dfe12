// From a TPU node's description to addresses, spec and counts. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "resolvers/tpu/wire/tpu_node.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {

/// Names the TPU that a failure is about, unless it is named already.
Failure about_tpu(std::string_view tpu, Failure failure);

/// A state that READY follows by itself [facts: tpu-states].
bool is_on_its_way(std::string_view state) noexcept;

/// The node must be READY; endpoints in the API's order, which is worker order, some perhaps without port. Errors: not_ready
/// naming TPU and state; malformed_response (READY without endpoints, one without address or with what is none, two equal).
/// [facts: tpu-endpoints, tpu-ports]
Result<std::vector<Endpoint>> worker_endpoints(std::string_view tpu, const TpuNode& node);
/// `host:port` of each, by worker. Errors: also malformed_response for a missing port.
Result<ClusterSpec::Tasks> worker_tasks(std::string_view tpu, const TpuNode& node);

/// The node's accelerators: by acceleratorConfig, which says the topology, or else by acceleratorType. Errors: malformed_response
/// when it has neither, or they make no sense; not_found for an unknown generation.
Result<AcceleratorType> accelerator_of(std::string_view tpu, const TpuNode& node);
/// What the type says of each host.
AcceleratorCounts counts_of(const AcceleratorType& type);

}  // namespace rollcall
