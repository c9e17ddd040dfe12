// What a TPU VM or pod is told of its slice: the metadata attribute tpu-env, and lists of the slice's hosts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// The metadata attribute tpu-env: lines of `KEY: 'value'`. The Cloud TPU API and Compute Engine spell some keys differently (`WORKER_ID`,
/// `TPU_WORKER_ID`): value() knows both [facts: tpu-env].
class TpuEnv {
 public:
  TpuEnv() {}
  /// Lines that are no `KEY: value` are passed over, as odd ones occur (a value of several lines). Errors: malformed_response (a key
  /// twice with different values, control characters in a value), limit_exceeded (64 kB, 512 keys).
  static Result<TpuEnv> parse(std::string_view text);

  /// Of `name` or `TPU_name`; none where both are missing or empty. Errors: conflict when they differ.
  Result<std::optional<std::string>> value(std::string_view name) const;
  /// As written, unknown keys too.
  const std::map<std::string, std::string, std::less<>>& values() const noexcept { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

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
Result<TpuHosts> parse_worker_network_endpoints(std::string_view text, std::size_t max);

/// A list of host names between commas, TPU_WORKER_HOSTNAMES, whose name is `from`. Errors: invalid_argument, limit_exceeded.
Result<TpuHosts> parse_host_names(std::string_view from, std::string_view text, std::size_t max);

}  // namespace rollcall
