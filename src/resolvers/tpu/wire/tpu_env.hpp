// Parses a TPU VM's or pod's description of its slice: the metadata attribute tpu-env, and lists of the slice's hosts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// The metadata attribute tpu-env: lines of `KEY: 'value'`. The Cloud TPU API and Compute Engine spell some keys differently (`WORKER_ID`,
/// `TPU_WORKER_ID`): value() accepts both [facts: tpu-env].
class TpuEnv {
 public:
  TpuEnv() {}
  /// Lines in another form than `KEY: value` are skipped, since they occur (a value of several lines). Errors: malformed_response (a key
  /// twice with different values, control characters in a value), limit_exceeded (64 kB, 512 keys).
  static Result<TpuEnv> parse(std::string_view text);

  /// The value of `name` or `TPU_name`; none if both are missing or empty. Errors: conflict if they differ.
  Result<std::optional<std::string>> value(std::string_view name) const;
  /// The values as written, including unknown keys.
  const std::map<std::string, std::string, std::less<>>& values() const noexcept { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// Hosts in the order of their worker ids.
class TpuHosts {
 public:
  TpuHosts() {}
  std::string from;                ///< the source, for messages: `worker-network-endpoints`
  std::vector<std::string> hosts;  ///< addresses or names, without brackets; of TPU_PROCESS_ADDRESSES with ports
  std::vector<std::string> names;  ///< the machines' names if the list has both, else empty
};

/// The metadata attribute worker-network-endpoints: `name:uid:address` or `name`, separated by commas. Errors: malformed_response naming
/// the element (including ambiguous IPv6), limit_exceeded over `max` elements. [facts: tpu-worker-endpoints]
Result<TpuHosts> parse_worker_network_endpoints(std::string_view text, std::size_t max);

/// A comma-separated list of host names from the variable `from`, TPU_WORKER_HOSTNAMES. Errors: invalid_argument, limit_exceeded.
Result<TpuHosts> parse_host_names(std::string_view from, std::string_view text, std::size_t max);

}  // namespace rollcall
