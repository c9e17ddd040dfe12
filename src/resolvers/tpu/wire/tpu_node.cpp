// Builds a TpuNode from JSON events.
#include "resolvers/tpu/wire/tpu_node.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "json/json_sax.hpp"

namespace rollcall {

// A set of fields.
class TpuNodeBuilder::FieldSet {
 public:
  template <class... Fields>
  constexpr explicit FieldSet(Fields... fields) : bits_(((std::uint32_t{1} << static_cast<unsigned>(fields)) | ...)) {}
  constexpr bool has(Field field) const noexcept { return (bits_ >> static_cast<unsigned>(field) & 1) != 0; }

 private:
  std::uint32_t bits_;
};

std::string* TpuNodeBuilder::text_slot() {
  switch (current()) {
    case Field::name: return &node_.name;
    case Field::uid: return &node_.uid;
    case Field::state: return &node_.state;
    case Field::health: return &node_.health;
    case Field::health_description: return &node_.health_description;
    case Field::accelerator_type: return &node_.accelerator_type;
    case Field::ip_address: return &node_.ip_address;
    case Field::tensorflow_version: return &node_.tensorflow_version;
    case Field::runtime_version: return &node_.runtime_version;
    case Field::queued_resource: return &node_.queued_resource;
    case Field::config_type: return &node_.accelerator_config_type;
    case Field::config_topology: return &node_.accelerator_config_topology;
    case Field::endpoint_ip: return &node_.network_endpoints.back().ip_address;
    case Field::external_ip: return &node_.network_endpoints.back().external_ip;
    case Field::symptom_type: return &node_.symptoms.back().type;
    case Field::symptom_time: return &node_.symptoms.back().create_time;
    case Field::symptom_worker: return &node_.symptoms.back().worker_id;
    case Field::symptom_details: return &node_.symptoms.back().details;
    default: return nullptr;
  }
}

bool TpuNodeBuilder::is_kept(Field field) const noexcept {
  constexpr FieldSet of_spec(Field::name, Field::state, Field::health_description, Field::ip_address, Field::endpoint_ip);
  return wanted_ == TpuFields::all || of_spec.has(field);
}

bool TpuNodeBuilder::enter(Place place) {
  places_[++depth_] = place;
  return true;
}

bool TpuNodeBuilder::open_known(bool is_array) {
  const Field field = current();
  const std::string_view got = is_array ? "an array" : "an object";
  switch (place()) {
    case Place::outside: return is_array ? wrong_type(got, "an object") : enter(Place::node);
    case Place::endpoints:
      if (is_array) return wrong_type(got, "an object");
      if (node_.network_endpoints.size() >= limits_.max_endpoints) return refuse(Errc::limit_exceeded, "has too many networkEndpoints");
      if (node_.network_endpoints.capacity() == 0) {  // most slices with several hosts have four
        if (!memory_.charge(4 * sizeof(TpuNode::NetworkEndpoint))) return refuse_memory();
        node_.network_endpoints.reserve(4);
      }
      if (!memory_.make_room(node_.network_endpoints)) return refuse_memory();
      node_.network_endpoints.emplace_back();
      return enter(Place::endpoint);
    case Place::symptoms:
      if (is_array) return wrong_type(got, "an object");
      if (node_.symptoms.size() >= limits_.max_items) return refuse(Errc::limit_exceeded, "has too many symptoms");
      if (!memory_.make_room(node_.symptoms)) return refuse_memory();
      node_.symptoms.emplace_back();
      return enter(Place::symptom);
    default: break;
  }
  switch (field) {
    case Field::accelerator_config:
    case Field::endpoint_access:
      if (is_array) return wrong_type(got, "an object");
      clear_field();
      return enter(field == Field::endpoint_access ? Place::access : Place::config);
    case Field::network_endpoints:
    case Field::symptoms:
      if (!is_array) return wrong_type(got, "an array");
      clear_field();
      if (field == Field::symptoms) return enter(Place::symptoms);
      node_.has_network_endpoints = true;
      return enter(Place::endpoints);
    case Field::multislice: return wrong_type(got, "a boolean");
    case Field::port:
    case Field::endpoint_port: return wrong_type(got, "a port number");
    default: return wrong_type(got, "a text");
  }
}

bool TpuNodeBuilder::key(std::string_view name) {
  const Row* row = find_row(place(), name);
  field_ = row ? row->field : Field::unknown;
  if (row) field_name_ = row->key;
  return true;
}

bool TpuNodeBuilder::value_read(const JsonScalar& scalar) {
  using Kind = JsonScalar::Kind;
  constexpr FieldSet other_than_texts(Field::port, Field::endpoint_port, Field::multislice, Field::accelerator_config,
                                      Field::endpoint_access, Field::network_endpoints, Field::symptoms, Field::element);
  if (scalar.kind == Kind::text && !other_than_texts.has(current())) return set_text(scalar.text);
  const std::string_view got = name_of(scalar.kind);
  if (current() == Field::element) return wrong_type(got, "an object");
  if (scalar.kind == Kind::null) {
    clear_field();
    return true;
  }
  switch (current()) {
    case Field::port: return set_port(node_.port, scalar);
    case Field::endpoint_port: return set_port(node_.network_endpoints.back().port, scalar);
    case Field::multislice:
      if (scalar.kind != Kind::boolean) return wrong_type(got, "a boolean");
      node_.is_multislice = scalar.boolean;
      return true;
    case Field::accelerator_config:
    case Field::endpoint_access: return wrong_type(got, "an object");
    case Field::network_endpoints:
    case Field::symptoms: return wrong_type(got, "an array");
    case Field::symptom_type:
    case Field::symptom_time:
    case Field::symptom_worker:
    case Field::symptom_details: return true;  // historical data: unreadable values are ignored [facts: tpu-symptoms]
    case Field::uid:
      if (scalar.kind == Kind::integer) return set_text(std::to_string(scalar.integer));
      break;
    default: break;
  }
  return wrong_type(got, "a text");
}

bool TpuNodeBuilder::set_text(std::string_view text) {
  const Field field = current();
  if (!is_kept(field)) return true;
  if (!memory_.charge_text(text)) return refuse_memory();
  if (field == Field::name) node_.id.assign(text.substr(text.rfind('/') + 1));  // npos + 1 is 0
  constexpr FieldSet addresses(Field::ip_address, Field::endpoint_ip, Field::external_ip);
  if (addresses.has(field)) {
    set_address(text);
  } else if (field != Field::name || wanted_ == TpuFields::all) {
    text_slot()->assign(text);
  }
  return true;
}

void TpuNodeBuilder::set_address(std::string_view text) {
  std::string& slot = *text_slot();
  slot.assign(service_ip(text));
  std::string* const refused = refused_slot();
  if (!refused) return;
  refused->clear();
  if (slot.empty() && !text.empty()) *refused = fmt::format("{} is {}", path(), not_an_address(text));
}

std::string* TpuNodeBuilder::refused_slot() {
  if (current() == Field::ip_address) return &node_.refused_ip;
  return current() == Field::endpoint_ip ? &node_.network_endpoints.back().refused_ip : nullptr;
}

bool TpuNodeBuilder::set_port(std::optional<std::uint16_t>& port, const JsonScalar& scalar) {
  using Kind = JsonScalar::Kind;
  switch (scalar.kind) {
    case Kind::integer:
      port.reset();
      if (scalar.integer >= 1 && scalar.integer <= 65535) port = static_cast<std::uint16_t>(scalar.integer);
      break;
    case Kind::text: port = parse_decimal<std::uint16_t>(scalar.text, 1); break;
    default: return wrong_type(name_of(scalar.kind), "a port number");
  }
  if (port) return true;
  const std::string shown = scalar.kind == Kind::text ? quoted(scalar.text) : std::to_string(scalar.integer);
  return refuse(Errc::malformed_response, fmt::format("{} is {}, not a port (1 to 65535)", path(), shown));
}

void TpuNodeBuilder::clear_field() {
  switch (current()) {
    case Field::accelerator_config:
      node_.accelerator_config_type.clear();
      node_.accelerator_config_topology.clear();
      break;
    case Field::network_endpoints:
      node_.network_endpoints.clear();
      node_.has_network_endpoints = false;
      break;
    case Field::endpoint_access: node_.network_endpoints.back().external_ip.clear(); break;
    case Field::symptoms: node_.symptoms.clear(); break;
    case Field::port: node_.port.reset(); break;
    case Field::endpoint_port: node_.network_endpoints.back().port.reset(); break;
    case Field::multislice: node_.is_multislice = false; break;
    case Field::name: node_.id.clear(); [[fallthrough]];
    default:
      if (std::string* slot = text_slot()) slot->clear();
      if (std::string* refused = refused_slot()) refused->clear();
  }
}

bool TpuNodeBuilder::text_too_long() {
  return refuse(Errc::limit_exceeded, fmt::format("{} is longer than {} bytes", path(), limits_.max_text));
}

std::string TpuNodeBuilder::path() const {
  const auto last = [](const auto& items) { return items.empty() ? 0 : items.size() - 1; };
  switch (place()) {
    case Place::outside: return "the document";
    case Place::node: break;
    case Place::config: return fmt::format("acceleratorConfig.{}", field_name_);
    case Place::endpoints: return fmt::format("networkEndpoints[{}]", node_.network_endpoints.size());
    case Place::endpoint: return fmt::format("networkEndpoints[{}].{}", last(node_.network_endpoints), field_name_);
    case Place::access: return fmt::format("networkEndpoints[{}].accessConfig.{}", last(node_.network_endpoints), field_name_);
    case Place::symptoms: return fmt::format("symptoms[{}]", node_.symptoms.size());
    case Place::symptom: return fmt::format("symptoms[{}].{}", last(node_.symptoms), field_name_);
  }
  return std::string(field_name_);
}

bool TpuNodeBuilder::wrong_type(std::string_view got, std::string_view wanted) {
  return refuse(Errc::malformed_response, fmt::format("{} is {}, not {}", path(), got, wanted));
}

bool TpuNodeBuilder::refuse(Errc code, std::string what) {
  const std::string who = node_.id.empty() ? "the TPU node" : fmt::format("the TPU node {}", quoted(node_.id));
  failure_.emplace(code, fmt::format("{}: {}", who, what));
  return false;
}

bool TpuNodeBuilder::refuse_memory() {
  const std::string who = node_.id.empty() ? "the TPU node" : fmt::format("the TPU node {}", quoted(node_.id));
  failure_ = too_much_memory(who, memory_);
  return false;
}

void TpuNodeBuilder::reset() {
  node_ = TpuNode();
  depth_ = skip_depth_ = 0;
  field_ = Field::element;
  failure_.reset();
}

Result<void> read_tpu_node(std::string_view json, const ParseLimits& limits, TpuFields wanted, TpuNode& node) {
  JsonFeed<TpuNodeBuilder> feed("the TPU node", limits, node, limits, wanted);
  const Result<void> fed = feed.put(json);
  return fed ? feed.finish() : fed;
}

Result<TpuNode> parse_tpu_node(std::string_view json, const ParseLimits& limits) {
  TpuNode node;
  const Result<void> read = read_tpu_node(json, limits, TpuFields::all, node);
  if (!read) return read.error();
  return node;
}

}  // namespace rollcall
