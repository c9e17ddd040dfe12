// Builds a TpuNode from JSON events; see json_sax.hpp for the sink's contract. Used for one node and for each of a list.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "resolvers/tpu/wire/tpu_node.hpp"

namespace rollcall {

class JsonScalar;

class TpuNodeBuilder {
 public:
  explicit TpuNodeBuilder(const ParseLimits& limits) : limits_(limits), memory_(limits.share()) {}

  bool open(bool is_array);
  bool close();
  bool key(std::string_view name);
  bool value(const JsonScalar& scalar);
  bool wants_text() const { return !skip_depth_ && current() != Field::unknown; }
  bool text_too_long();

  TpuNode take();
  /// Why an event was refused.
  std::optional<Failure>& failure() { return failure_; }
  /// Forgets everything, for the next node.
  void reset();
  const TpuNode& node() const { return node_; }
  /// What the node costs, and all before it that were kept.
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

  struct Row {
    std::string_view key;
    Field field;
  };
  static const Row* find_row(Place place, std::string_view name);
  std::string* text_slot();
  Field current() const { return place() == Place::endpoints || place() == Place::symptoms ? Field::element : field_; }
  bool enter(Place place);
  void clear_field();
  bool set_port(std::optional<std::uint16_t>& port, const JsonScalar& scalar);
  bool set_text(std::string_view text);
  void set_address(std::string_view text);
  std::string* refused_slot();  // null: not kept
  bool refuse_memory();
  std::string path() const;
  bool wrong_type(std::string_view got, std::string_view wanted);
  bool refuse(Errc code, std::string what);
  Place place() const { return places_[depth_]; }

  ParseLimits limits_;
  MemoryShare memory_;
  TpuNode node_;
  std::array<Place, 5> places_{};
  std::size_t depth_ = 0;
  std::size_t skip_depth_ = 0;    // open brackets of a value that nobody asked for
  Field field_ = Field::element;  // where the next value goes
  std::string_view field_name_;
  std::optional<Failure> failure_;
};

}  // namespace rollcall
