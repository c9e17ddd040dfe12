// What clients of endpoint discovery (xDS v3) ask, and the frame of what they are answered. Pure. Source: envoyproxy.io,
// api-docs/xds_protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_bytes.hpp"
#include "rollcall/error.hpp"

namespace rollcall::fleet {

enum class ResourceType : std::uint8_t { cluster, endpoints, listener };  // in the order in which they are told
inline constexpr std::size_t resource_types = 3;
/// As in requests: `type.googleapis.com/envoy.config.cluster.v3.Cluster`.
std::string_view type_url_of(ResourceType type) noexcept;
/// Absent: it is none that this service has.
std::optional<ResourceType> resource_type_of(std::string_view type_url) noexcept;
/// `clusters`, `endpoints`, `listeners`: in metrics and in the addresses of REST.
std::string_view to_string(ResourceType type) noexcept;

inline constexpr std::size_t max_discovered_names = 1000;  ///< of one request
inline constexpr std::size_t max_discovered_name = 4096;

class DiscoveryRequest {
 public:
  DiscoveryRequest() {}
  std::string version;
  std::string node;                ///< the client's id, as it calls itself
  std::vector<std::string> names;  ///< in order, each once
  std::string type_url;
  std::string nonce;
  std::optional<std::string> error;  ///< why the client refuses what it was told (NACK)

  /// A DiscoveryRequest in protobuf; fields that are not known are left out, the node's too. Errors: malformed_response (no such message),
  /// limit_exceeded (names).
  static Result<DiscoveryRequest> parse(std::string_view bytes);
  /// The same in JSON (protobuf's mapping), with names in either spelling: `resource_names`, `resourceNames`.
  static Result<DiscoveryRequest> parse_json(std::string_view text);
};

/// A resource as it stands in an answer: the bytes of a google.protobuf.Any.
using ResourceBytes = std::shared_ptr<const std::string>;

/// A DiscoveryResponse in protobuf. The resources are not copied, unless they are small.
SharedBytes render_discovery(ResourceType type, std::string_view version, std::string_view nonce,
                             const std::vector<ResourceBytes>& resources);

}  // namespace rollcall::fleet
