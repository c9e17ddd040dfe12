// One TPU node: ports and addresses of an accepted node must be valid.
#include "resolvers/tpu/wire/tpu_node.hpp"

#include "check.hpp"
#include "cluster/service_address.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const Result<TpuNode> node = parse_tpu_node(std::string_view(reinterpret_cast<const char*>(data), size));
  require_sane(node);
  if (!node) return 0;
  for (const auto& endpoint : node->network_endpoints) {
    require(endpoint.port != 0);
    require(service_ip(endpoint.ip_address) == endpoint.ip_address && service_ip(endpoint.external_ip) == endpoint.external_ip);
    require(endpoint.ip_address.empty() || endpoint.refused_ip.empty());
  }
  require(node->has_network_endpoints || node->network_endpoints.empty());
  require(node->port != 0);
  return 0;
}
