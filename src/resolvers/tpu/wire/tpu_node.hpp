// A Cloud TPU node as nodes.get and nodes.list write it (v1, v2, v2alpha1). Absent texts are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class TpuNode {
 public:
  class NetworkEndpoint {
   public:
    NetworkEndpoint() {}
    std::string ip_address;             ///< an IP literal without brackets, or empty
    std::optional<std::uint16_t> port;  ///< absent while a node is being created
    std::string external_ip;            ///< likewise; what is none is left out
    std::string refused_ip;             ///< why ip_address is empty: `'evil,10.0.0.1', not an address`
    friend bool operator==(const NetworkEndpoint&, const NetworkEndpoint&) = default;
  };
  class Symptom {
   public:
    Symptom() {}
    std::string type;         ///< OUT_OF_MEMORY, …
    std::string create_time;  ///< RFC 3339, unparsed: a bad one is to be ignored [facts: tpu-symptoms]
    std::string worker_id;
    std::string details;
    friend bool operator==(const Symptom&, const Symptom&) = default;
  };
  TpuNode() {}

  std::string name;  ///< projects/{project}/locations/{zone}/nodes/{id}
  std::string id;    ///< last segment of name
  std::string uid;   ///< the field "id": differs when a node is created again under the same name
  std::string state;
  std::string health;
  std::string health_description;
  std::string accelerator_type;             ///< v4-32
  std::string accelerator_config_type;      ///< V4
  std::string accelerator_config_topology;  ///< 2x2x4
  std::vector<NetworkEndpoint> network_endpoints;  ///< in worker order
  bool has_network_endpoints = false;              ///< true even for an empty array
  std::string ip_address;             ///< v1's older place for the only endpoint
  std::string refused_ip;             ///< of ip_address, as of an endpoint
  std::optional<std::uint16_t> port;  ///< belongs to ip_address
  std::string tensorflow_version;     ///< v1
  std::string runtime_version;        ///< v2
  std::string queued_resource;        ///< full name
  bool is_multislice = false;
  std::vector<Symptom> symptoms;

  friend bool operator==(const TpuNode&, const TpuNode&) = default;
};

/// Unknown fields and enum names are passed over; null counts as absent; of a repeated key the last wins.
/// Errors: malformed_response naming the field (wrong type, a port outside 1 … 65535, not JSON, not an object, invalid UTF-8, cut
/// short, HTML); limit_exceeded. What is no address is kept out, and why: the other workers are there all the same.
/// [facts: tpu-node-json, tpu-ports]
Result<TpuNode> parse_tpu_node(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall
