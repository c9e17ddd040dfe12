// A Cloud TPU node as in nodes.get and nodes.list (v1, v2, v2alpha1), and its builder from JSON events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Absent texts are empty.
class TpuNode {
 public:
  class NetworkEndpoint {
   public:
    NetworkEndpoint() {}
    std::string ip_address;             ///< an IP literal without brackets, or empty
    std::optional<std::uint16_t> port;  ///< absent while a node is being created
    std::string external_ip;            ///< likewise; empty if invalid
    std::string refused_ip;             ///< the reason for an empty ip_address: `'evil,10.0.0.1', not an address`
    friend bool operator==(const NetworkEndpoint&, const NetworkEndpoint&) = default;
  };
  class Symptom {
   public:
    Symptom() {}
    std::string type;         ///< OUT_OF_MEMORY, …
    std::string create_time;  ///< RFC 3339, not parsed: an invalid one is ignored [facts: tpu-symptoms]
    std::string worker_id;
    std::string details;
    friend bool operator==(const Symptom&, const Symptom&) = default;
  };
  TpuNode() {}

  std::string name;  ///< projects/{project}/locations/{zone}/nodes/{id}
  std::string id;    ///< last segment of name
  std::string uid;   ///< the field "id", which changes when a node is created again under the same name
  std::string state;
  std::string health;
  std::string health_description;
  std::string accelerator_type;             ///< v4-32
  std::string accelerator_config_type;      ///< V4
  std::string accelerator_config_topology;  ///< 2x2x4
  std::vector<NetworkEndpoint> network_endpoints;  ///< in worker order
  bool has_network_endpoints = false;              ///< also true for an empty array
  std::string ip_address;             ///< v1's older field for a single endpoint
  std::string refused_ip;             ///< of ip_address, as of an endpoint
  std::optional<std::uint16_t> port;  ///< belongs to ip_address
  std::string tensorflow_version;     ///< v1
  std::string runtime_version;        ///< v2
  std::string queued_resource;        ///< full name
  bool is_multislice = false;
  std::vector<Symptom> symptoms;

  friend bool operator==(const TpuNode&, const TpuNode&) = default;
};

/// The fields of a node that are kept. All fields are checked.
enum class TpuFields : std::uint8_t {
  all,
  spec,  ///< the fields for addresses and messages about them: id, state, healthDescription, the endpoints' addresses and ports
};

/// Unknown fields and enum names are skipped; null counts as absent; of a repeated key the last wins.
/// Errors: malformed_response naming the field (wrong type, a port outside 1 … 65535, not JSON, not an object, invalid UTF-8, cut
/// short, HTML); limit_exceeded. An invalid address is left out and its reason kept, so that the other workers can be used.
/// [facts: tpu-node-json, tpu-ports]
Result<TpuNode> parse_tpu_node(std::string_view json, const ParseLimits& limits = {});
/// Parses into `node`, which must be empty. After a failure some of its fields may be set.
Result<void> read_tpu_node(std::string_view json, const ParseLimits& limits, TpuFields wanted, TpuNode& node);

class JsonScalar;

/// Takes a node's JSON events; see json_sax.hpp for the contract. Used for a single node and for each node of a list.
class TpuNodeBuilder {
 public:
  /// The values go into `node`, which must be empty and outlive the builder.
  TpuNodeBuilder(TpuNode& node, const ParseLimits& limits, TpuFields wanted)
      : limits_(limits), memory_(limits.share()), node_(node), wanted_(wanted) {}

  bool open(bool is_array) {
    if (skip_depth_ == 0 && current() != Field::unknown) return open_known(is_array);
    ++skip_depth_;
    return true;
  }
  bool close() {
    --(skip_depth_ > 0 ? skip_depth_ : depth_);
    return true;
  }
  bool key(std::string_view name);
  bool value(const JsonScalar& scalar) { return current() == Field::unknown || value_read(scalar); }
  bool skips() const { return skip_depth_ > 0; }
  bool wants_text() const { return current() != Field::unknown; }
  bool text_too_long();

  /// The reason why an event was refused.
  std::optional<Failure>& failure() { return failure_; }
  /// Prepares for the next node.
  void reset();
  /// The memory charged for this node and all earlier ones that were kept.
  MemoryShare& memory() { return memory_; }

 private:
  // clang-format off
  enum class Field {
    unknown, name, uid, state, health, health_description, accelerator_type, accelerator_config, network_endpoints, ip_address, port,
    tensorflow_version, runtime_version, queued_resource, multislice, symptoms,                            // of a node
    config_type, config_topology,                                                                         // of acceleratorConfig
    endpoint_ip, endpoint_port, endpoint_access, external_ip,                                             // of an endpoint
    symptom_type, symptom_time, symptom_worker, symptom_details,                                          // of a symptom
    element,                                                                                              // of either array
  };
  // clang-format on
  enum class Place { outside, node, config, endpoints, endpoint, access, symptoms, symptom };

  class FieldSet;
  struct Row {
    std::string_view key;
    Field field;
  };
  static const Row* find_row(Place place, std::string_view name);
  std::string* text_slot();
  bool is_kept(Field field) const noexcept;
  Field current() const { return place() == Place::endpoints || place() == Place::symptoms ? Field::element : field_; }
  bool enter(Place place);
  bool open_known(bool is_array);
  bool value_read(const JsonScalar& scalar);
  void clear_field();
  bool set_port(std::optional<std::uint16_t>& port, const JsonScalar& scalar);
  bool set_text(std::string_view text);
  void set_address(std::string_view text);
  std::string* refused_slot();  // null if the address's fault is not kept
  bool refuse_memory();
  std::string path() const;
  bool wrong_type(std::string_view got, std::string_view wanted);
  bool refuse(Errc code, std::string what);
  Place place() const { return places_[depth_]; }

  ParseLimits limits_;
  MemoryShare memory_;
  TpuNode& node_;
  std::array<Place, 5> places_{};
  std::size_t depth_ = 0;
  std::size_t skip_depth_ = 0;    // open brackets of a value that is skipped
  Field field_ = Field::element;  // the field of the next value
  TpuFields wanted_;
  std::string_view field_name_;
  std::optional<Failure> failure_;
};

}  // namespace rollcall
