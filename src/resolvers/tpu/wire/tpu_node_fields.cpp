// The table of the fields of a node that are read, by their place.
#include "json/key_table.hpp"
#include "resolvers/tpu/wire/tpu_node.hpp"

namespace rollcall {

const TpuNodeBuilder::Row* TpuNodeBuilder::find_row(Place place, std::string_view name) {
  static constexpr Row node_rows[] = {{"id", Field::uid},
                                      {"name", Field::name},
                                      {"port", Field::port},
                                      {"state", Field::state},
                                      {"health", Field::health},
                                      {"symptoms", Field::symptoms},
                                      {"ipAddress", Field::ip_address},
                                      {"multisliceNode", Field::multislice},
                                      {"queuedResource", Field::queued_resource},
                                      {"runtimeVersion", Field::runtime_version},
                                      {"acceleratorType", Field::accelerator_type},
                                      {"networkEndpoints", Field::network_endpoints},
                                      {"acceleratorConfig", Field::accelerator_config},
                                      {"healthDescription", Field::health_description},
                                      {"tensorflowVersion", Field::tensorflow_version}};
  static constexpr Row config_rows[] = {{"type", Field::config_type}, {"topology", Field::config_topology}};
  static constexpr Row endpoint_rows[] = {
      {"port", Field::endpoint_port}, {"ipAddress", Field::endpoint_ip}, {"accessConfig", Field::endpoint_access}};
  static constexpr Row access_rows[] = {{"externalIp", Field::external_ip}};
  static constexpr Row symptom_rows[] = {{"details", Field::symptom_details},
                                         {"workerId", Field::symptom_worker},
                                         {"createTime", Field::symptom_time},
                                         {"symptomType", Field::symptom_type}};
  using Rows = KeyTable<Row, 17>;
  static constexpr Rows node(node_rows), config(config_rows), endpoint(endpoint_rows), access(access_rows), symptom(symptom_rows);
  switch (place) {
    case Place::node: return node.find(name);
    case Place::config: return config.find(name);
    case Place::endpoint: return endpoint.find(name);
    case Place::access: return access.find(name);
    case Place::symptom: return symptom.find(name);
    case Place::outside:
    case Place::endpoints:
    case Place::symptoms: break;
  }
  return nullptr;
}

}  // namespace rollcall
