#include "fleet/xds/wire/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "base/protobuf_fields.hpp"
#include "json/json_dom.hpp"
#include "xds.pb.h"

namespace rollcall::fleet {
namespace {

constexpr std::array<std::string_view, resource_types> type_urls = {"type.googleapis.com/envoy.config.cluster.v3.Cluster",
                                                                    "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
                                                                    "type.googleapis.com/envoy.config.listener.v3.Listener"};
constexpr std::array<std::string_view, resource_types> type_names = {"clusters", "endpoints", "listeners"};
constexpr std::size_t max_other_text = 1024;  // of versions, nonces, and messages of a rejection

std::string first_bytes(std::string_view text) { return std::string(text.substr(0, max_other_text)); }

Failure no_request(std::size_t size) {
  return Failure(Errc::malformed_response, fmt::format("these {} bytes are no DiscoveryRequest", size));
}

std::optional<Failure> take_name(std::string_view name, DiscoveryRequest& request) {
  if (request.names.size() >= max_discovered_names)
    return Failure(Errc::limit_exceeded, fmt::format("the DiscoveryRequest names more than {} resources", max_discovered_names));
  if (name.size() > max_discovered_name)
    return Failure(Errc::limit_exceeded, fmt::format("the DiscoveryRequest has a name of more than {} bytes", max_discovered_name));
  request.names.emplace_back(name);
  return std::nullopt;
}

// The tag and length in front of a field's bytes.
std::string field_prefix(int number, std::size_t size) {
  std::array<std::uint8_t, 10> prefix{};
  std::uint8_t* end =
      google::protobuf::io::CodedOutputStream::WriteTagToArray(bytes_field(static_cast<std::uint32_t>(number)), prefix.data());
  end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), end);
  return std::string(prefix.data(), end);
}

void put_in_order(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

const boost::json::value* find_either(const boost::json::value& object, std::string_view name, std::string_view in_json) {
  const boost::json::value* const found = find(object, name);
  return found ? found : find(object, in_json);
}

std::string text_of(const boost::json::value& object, std::string_view name, std::string_view in_json) {
  const boost::json::value* const found = find_either(object, name, in_json);
  return found && found->is_string() ? first_bytes(found->get_string()) : std::string();
}

}  // namespace

std::string_view type_url_of(ResourceType type) noexcept { return type_urls.at(static_cast<std::size_t>(type)); }
std::string_view to_string(ResourceType type) noexcept { return type_names.at(static_cast<std::size_t>(type)); }

std::optional<ResourceType> resource_type_of(std::string_view type_url) noexcept {
  const auto found = std::find(type_urls.begin(), type_urls.end(), type_url);
  if (found == type_urls.end()) return std::nullopt;
  return static_cast<ResourceType>(found - type_urls.begin());
}

Result<DiscoveryRequest> DiscoveryRequest::parse(std::string_view bytes) {
  DiscoveryRequest request;
  std::optional<Failure> failure;
  const bool is_message = read_fields(bytes, [&](std::uint32_t tag, std::uint64_t, std::string_view text) {
    switch (tag) {
      case bytes_field(1): request.version = first_bytes(text); return true;
      case bytes_field(2):
        return read_fields(text, [&request](std::uint32_t inner, std::uint64_t, std::string_view id) {
          if (inner == bytes_field(1)) request.node = first_bytes(id);
          return true;
        });
      case bytes_field(3): failure = take_name(text, request); return !failure;
      case bytes_field(4): request.type_url = first_bytes(text); return true;
      case bytes_field(5): request.nonce = first_bytes(text); return true;
      case bytes_field(6):
        if (!request.error) request.error.emplace();
        return read_fields(text, [&request](std::uint32_t inner, std::uint64_t, std::string_view words) {
          if (inner == bytes_field(2)) request.error = first_bytes(words);
          return true;
        });
      default: return true;
    }
  });
  if (failure) return *failure;
  if (!is_message) return no_request(bytes.size());
  put_in_order(request.names);
  return request;
}

Result<DiscoveryRequest> DiscoveryRequest::parse_json(std::string_view text) {
  ParseLimits limits;
  limits.max_document = 256 * 1024;
  limits.max_document_memory = std::size_t{8} << 20;
  const Result<JsonDocument> document = JsonDocument::parse("the DiscoveryRequest", text, limits);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  if (!root.is_object()) return Failure(Errc::malformed_response, "the DiscoveryRequest is no object");
  DiscoveryRequest request;
  request.version = text_of(root, "version_info", "versionInfo");
  request.type_url = text_of(root, "type_url", "typeUrl");
  request.nonce = text_of(root, "response_nonce", "responseNonce");
  if (const boost::json::value* const node = find(root, "node"); node && node->is_object()) request.node = text_of(*node, "id", "id");
  if (const boost::json::value* const error = find_either(root, "error_detail", "errorDetail"); error && error->is_object())
    request.error = text_of(*error, "message", "message");
  if (const boost::json::value* const names = find_either(root, "resource_names", "resourceNames")) {
    const boost::json::array* const list = names->if_array();
    if (!list) return Failure(Errc::malformed_response, "the DiscoveryRequest's resource_names are no list");
    for (const boost::json::value& name : *list) {
      if (!name.is_string()) return Failure(Errc::malformed_response, "the DiscoveryRequest has a name that is no text");
      if (std::optional<Failure> failure = take_name(name.get_string(), request)) return *failure;
    }
  }
  put_in_order(request.names);
  return request;
}

SharedBytes render_discovery(ResourceType type, std::string_view version, std::string_view nonce,
                             const std::vector<ResourceBytes>& resources) {
  wire::xds::DiscoveryResponse response;
  response.set_version_info(std::string(version));
  response.set_type_url(std::string(type_url_of(type)));
  response.set_nonce(std::string(nonce));
  SharedBytes message(response.SerializeAsString());
  for (const ResourceBytes& resource : resources) {
    message.add(field_prefix(wire::xds::DiscoveryResponse::kResourcesFieldNumber, resource->size()));
    message.share(resource);
  }
  return message;
}

}  // namespace rollcall::fleet
