// Requests of endpoint discovery (xDS v3), and the envelope of the answers. Pure. Source: envoyproxy.io,
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

enum class ResourceType : std::uint8_t { cluster, endpoints, listener };  // in the order in which they are sent
inline constexpr std::size_t resource_types = 3;
/// The URL in requests: `type.googleapis.com/envoy.config.cluster.v3.Cluster`.
std::string_view type_url_of(ResourceType type) noexcept;
/// Absent: a type that this service does not have.
std::optional<ResourceType> resource_type_of(std::string_view type_url) noexcept;
/// `clusters`, `endpoints`, `listeners`: in metrics and in the addresses of REST.
std::string_view to_string(ResourceType type) noexcept;

inline constexpr std::size_t max_discovered_names = 1000;  ///< of one request
inline constexpr std::size_t max_discovered_name = 4096;

class DiscoveryRequest {
 public:
  DiscoveryRequest() {}
  std::string version;
  std::string node;                ///< the id that the client sends
  std::vector<std::string> names;  ///< ascending, without duplicates
  std::string type_url;
  std::string nonce;
  std::optional<std::string> error;  ///< why the client rejects the last answer (NACK)

  /// Parses a DiscoveryRequest in protobuf; unknown fields, those of the node included, are skipped. Errors: malformed_response,
  /// limit_exceeded (names).
  static Result<DiscoveryRequest> parse(std::string_view bytes);
  /// The same in protobuf's JSON mapping, with names in either spelling: `resource_names`, `resourceNames`.
  static Result<DiscoveryRequest> parse_json(std::string_view text);
};

/// A resource of an answer: the bytes of a google.protobuf.Any.
using ResourceBytes = std::shared_ptr<const std::string>;

/// Renders a DiscoveryResponse in protobuf. Large resources are not copied.
SharedBytes render_discovery(ResourceType type, std::string_view version, std::string_view nonce,
                             const std::vector<ResourceBytes>& resources);

}  // namespace rollcall::fleet
