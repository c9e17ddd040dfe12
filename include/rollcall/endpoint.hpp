// A host and a port, IPv6-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

class Endpoint {
 public:
  Endpoint() {}
  Endpoint(std::string endpoint_host, std::optional<std::uint16_t> endpoint_port) : host(std::move(endpoint_host)), port(endpoint_port) {}
  /// `host`, `host:port`, `[v6]`, `[v6]:port`, a bare IPv6 literal. Errors: invalid_argument naming the text (empty host,
  /// port outside 1 … 65535, stray brackets, control characters or blanks).
  static Result<Endpoint> parse(std::string_view text);

  std::string host;                   ///< no brackets
  std::optional<std::uint16_t> port;

  /// `host:port`, `[v6]:port`, or `host` alone when there is no port.
  std::string to_text() const;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// The port of a TPU worker's gRPC server, unless the service reports another.
inline constexpr std::uint16_t default_worker_port = 8470;

/// A worker list as KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS and `grpc://` TPU names spell it: comma separated, each element with an optional
/// `grpc://` of its own; blanks trimmed, empty elements dropped, IPv6 brackets kept, `default_port` filled in. Errors: invalid_argument
/// when no element is usable or one is malformed [facts: tpu-worker-list].
Result<std::vector<Endpoint>> parse_endpoint_list(std::string_view text, std::uint16_t default_port = default_worker_port);

}  // namespace rollcall
