// Lists of a slice's hosts, as the metadata server and the environment of TPU pods have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// Hosts in the order of their worker ids.
class TpuHosts {
 public:
  TpuHosts() {}
  std::string from;                ///< what was read, for messages: `worker-network-endpoints`
  std::vector<std::string> hosts;  ///< addresses or names, without brackets; of TPU_PROCESS_ADDRESSES with their ports
  std::vector<std::string> names;  ///< the machines' names where the list has both, else empty
};

/// The metadata attribute worker-network-endpoints: `name:uid:address` or `name`, between commas. Errors: malformed_response naming the
/// element (IPv6 that can be read both ways included), limit_exceeded over `most` elements. [facts: tpu-worker-endpoints]
Result<TpuHosts> parse_worker_network_endpoints(std::string_view text, std::size_t most);

/// A list of host names between commas, TPU_WORKER_HOSTNAMES, whose name is `from`. Errors: invalid_argument, limit_exceeded.
Result<TpuHosts> parse_host_names(std::string_view from, std::string_view text, std::size_t most);

}  // namespace rollcall
