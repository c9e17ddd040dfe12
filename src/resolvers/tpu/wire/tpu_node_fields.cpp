// Which fields of a node are read, by where they stand.
#include <array>
#include <cstdint>

#include "resolvers/tpu/wire/tpu_node.hpp"

namespace rollcall {

// The fields of one place, by the length of their keys: hardly two have the same, and most keys of a node are none of ours.
class TpuNodeBuilder::Rows {
 public:
  template <std::size_t N>
  consteval explicit Rows(const Row (&rows)[N]) : rows_(rows) {
    for (std::size_t length = 0, at = 0; length < first_.size(); ++length) {
      while (at < N && rows[at].key.size() < length) ++at;
      first_[length] = static_cast<std::uint8_t>(at);
    }
    for (std::size_t at = 1; at < N; ++at) {
      if (rows[at].key.size() < rows[at - 1].key.size()) throw "the rows are not in the order of their lengths";
    }
    if (rows[N - 1].key.size() > longest) throw "a key is too long";
  }

  const Row* find(std::string_view name) const noexcept {
    if (name.size() > longest) return nullptr;
    for (std::size_t at = first_[name.size()]; at < first_[name.size() + 1]; ++at) {
      if (rows_[at].key == name) return &rows_[at];
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t longest = 17;
  const Row* rows_;
  std::array<std::uint8_t, longest + 2> first_{};  // of the rows whose keys are at least so long
};

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
