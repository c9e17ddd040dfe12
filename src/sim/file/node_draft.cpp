#include "sim/file/node_draft.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rollcall/accelerator.hpp"
#include "sim/file/file.hpp"
#include "sim/wire/encoding.hpp"

namespace rollcall::sim {

namespace {

// The number of the private IPv4 network of RFC 1918; 0: none.
int private_network(const std::array<unsigned char, 16>& address) {
  if (address[0] == 10) return 1;
  if (address[0] == 172 && (address[1] & 0xF0u) == 16) return 2;
  return address[0] == 192 && address[1] == 168 ? 3 : 0;
}

}  // namespace

std::optional<std::string> address_plus(std::string_view base, std::uint64_t offset) {
  std::array<unsigned char, 16> bytes{};
  const std::string text(base);
  const int family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(family, text.c_str(), bytes.data()) != 1) return std::nullopt;
  const std::size_t size = family == AF_INET ? 4 : 16;
  const int network = family == AF_INET ? private_network(bytes) : 0;
  for (std::size_t i = size; i-- > 0 && offset > 0;) {
    offset += bytes[i];
    bytes[i] = static_cast<unsigned char>(offset & 255u);
    offset >>= 8;
  }
  if (offset > 0 || (family == AF_INET && private_network(bytes) != network)) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (!inet_ntop(family, bytes.data(), out.data(), out.size())) return std::nullopt;
  return std::string(out.data());
}

namespace {

constexpr std::size_t max_endpoints = 4'000'000;  // of all nodes and entries of timelines
constexpr std::string_view automatic_base = "10.128.0.10";

std::vector<NodeEndpoint> endpoints_of(const EndpointsDraft& draft, std::size_t hosts, std::uint64_t first) {
  if (draft.is_list) return draft.list;
  std::vector<NodeEndpoint> out;
  const std::size_t count = draft.count.value_or(hosts);
  for (std::size_t i = 0; i < count; ++i) {
    NodeEndpoint endpoint;
    endpoint.port = draft.port;
    endpoint.ip = address_plus(draft.base.empty() ? automatic_base : std::string_view(draft.base), first + i).value_or("");
    if (!draft.external_base.empty()) endpoint.external_ip = address_plus(draft.external_base, first + i).value_or("");
    out.push_back(std::move(endpoint));
  }
  return out;
}

// A stable, plausible 63-bit number, which differs each time the node is created.
std::string id_of(const std::string& full_name, int life) {
  const std::string digits = fingerprint(fmt::format("{}#{}", full_name, life));
  return std::to_string(std::strtoull(digits.c_str(), nullptr, 16) >> 1);
}

class Expansion {
 public:
  Expansion(Model& model, const NodeDraft& draft) : model_(model), draft_(draft) {}

  std::optional<std::string> run() {
    if (auto wrong = check()) return wrong;
    for (std::size_t i = 0; i < draft_.count; ++i) model_.nodes.push_back(one(draft_.first_number + i));
    return std::nullopt;
  }

 private:
  std::optional<std::string> check() {
    const NodeModel& node = draft_.node;
    if (node.name.empty()) return "a node needs a name";
    if (draft_.count > 1 && node.name.find("{i}") == std::string::npos) return "name: with a count the name must contain {i}";
    if (draft_.ready_after && (!draft_.timeline.empty() || draft_.base.state))
      return "ready_after: cannot be combined with state or timeline";
    if (model_.nodes.size() + draft_.count > max_nodes) return fmt::format("count: at most {} nodes in all", max_nodes);
    const auto type = AcceleratorType::parse(node.accelerator_type);
    if (type) hosts_ = static_cast<std::size_t>(type->hosts());
    const bool says_count = draft_.base.endpoints && (draft_.base.endpoints->is_list || draft_.base.endpoints->count);
    if (!type && !says_count) return fmt::format("accelerator_type: {}; an unknown type needs its endpoints given", type.error().what());
    if (draft_.count > 1 && draft_.base.endpoints && draft_.base.endpoints->is_list) {
      return "endpoints: with a count give {\"base\": …}, or the nodes would share addresses";
    }
    if (draft_.base.endpoints && draft_.base.endpoints->count) hosts_ = *draft_.base.endpoints->count;
    if (auto wrong = check_range(draft_.base)) return wrong;
    for (const MomentDraft& moment : draft_.timeline) {
      if (auto wrong = check_range(moment)) return wrong;
    }
    std::size_t known_endpoints = 0;
    for (const NodeModel& known : model_.nodes) {
      automatic_first_ += known.timeline.back().endpoints.size();
      for (const NodeMoment& known_moment : known.timeline) known_endpoints += known_moment.endpoints.size();
    }
    std::size_t max = hosts_;
    for (const MomentDraft& moment : draft_.timeline) {
      if (moment.endpoints) max = std::max({max, moment.endpoints->list.size(), moment.endpoints->count.value_or(0)});
    }
    if (known_endpoints + draft_.count * max * (draft_.timeline.size() + 2) > max_endpoints)
      return "the file has too many endpoints in all";
    return std::nullopt;
  }

  // The last address of all nodes must be valid.
  std::optional<std::string> check_range(const MomentDraft& moment) const {
    if (!moment.endpoints || moment.endpoints->is_list) return std::nullopt;
    const std::size_t count = moment.endpoints->count.value_or(hosts_);
    if (count == 0) return std::nullopt;
    const std::uint64_t last = (draft_.first_number + draft_.count - 1) * hosts_ + count - 1;
    for (const std::string& base : {moment.endpoints->base, moment.endpoints->external_base}) {
      if (!base.empty() && !address_plus(base, last))
        return fmt::format("endpoints: the network of {} has no {} addresses from there on", base, last + 1);
    }
    return std::nullopt;
  }

  NodeModel one(std::size_t index) const {
    NodeModel node = draft_.node;
    if (const std::size_t at = node.name.find("{i}"); at != std::string::npos) node.name.replace(at, 3, std::to_string(index));
    const auto config = accelerator_config(node.accelerator_type);
    node.config_type = config.first;
    if (node.topology.empty()) node.topology = config.second;

    const EndpointsDraft automatic;
    const EndpointsDraft& base = draft_.base.endpoints ? *draft_.base.endpoints : automatic;
    const std::uint64_t first =
        (base.base.empty() && base.external_base.empty() ? (index - draft_.first_number) * hosts_ + automatic_first_ : index * hosts_);
    Life life;
    life.node = &node;
    life.all = endpoints_of(base, hosts_, first);
    life.first = first;
    apply(life, draft_.base, false);
    std::vector<MomentDraft> entries = draft_.timeline;
    if (draft_.ready_after) {
      entries.resize(2);
      entries[0].state = "CREATING";
      entries[1].state = "READY";
      entries[1].at = *draft_.ready_after;
    } else if (entries.empty()) {
      entries.resize(1);
    }
    for (const MomentDraft& entry : entries) {
      apply(life, entry, true);
      node.timeline.push_back(moment(life, entry.at));
    }
    return node;
  }

  struct Life {
    const NodeModel* node = nullptr;
    std::vector<NodeEndpoint> all;
    std::uint64_t first = 0;
    MomentDraft current;
    int number = 0;
  };

  void apply(Life& life, const MomentDraft& change, bool is_entry) const {
    MomentDraft& now = life.current;
    const bool was_deleted = now.state == "DELETED";
    if (change.state) {
      now.state = change.state;
      now.health.reset();  // a new state resets the health, unless the entry sets it
      now.health_description.reset();
      if (was_deleted && now.state != "DELETED") {
        ++life.number;
        now.id.reset();
      }
    }
    if (change.health) now.health = change.health;
    if (change.health_description) now.health_description = change.health_description;
    if (change.id) now.id = change.id;
    if (change.endpoints) life.all = endpoints_of(*change.endpoints, hosts_, life.first);
    if (change.visible || change.endpoints || change.state) now.visible = change.visible;
    if (change.endpoints && is_entry && !change.visible) now.visible = life.all.size();  // also while the node is being created
    if (change.symptoms) now.symptoms = change.symptoms;
    if (change.upcoming_maintenance) now.upcoming_maintenance = change.upcoming_maintenance;
    if (change.raw) now.raw = change.raw;
  }

  NodeMoment moment(const Life& life, Duration at) const {
    const MomentDraft& now = life.current;
    NodeMoment out;
    out.at = at;
    out.state = now.state.value_or("READY");
    const bool is_preempted = out.state == "PREEMPTED";
    const bool is_ready = out.state == "READY";
    const std::string usual_health = is_ready ? draft_.base.health.value_or("HEALTHY") : is_preempted ? "UNHEALTHY_MAINTENANCE" : "";
    const std::string usual_description = is_ready       ? draft_.base.health_description.value_or("")
                                          : is_preempted ? "The TPU was preempted."
                                                         : "";
    out.health = now.health.value_or(usual_health);
    out.health_description = now.health_description.value_or(now.health ? "" : usual_description);
    out.id = now.id.value_or(id_of(life.node->full_name(), life.number));
    // Addresses are known once a node has been created. A script may show some earlier.
    const std::size_t shown = now.visible.value_or(out.state == "CREATING" ? 0 : life.all.size());
    out.endpoints.assign(life.all.begin(), life.all.begin() + static_cast<std::ptrdiff_t>(std::min(shown, life.all.size())));
    out.symptoms = now.symptoms.value_or(json::array());
    out.upcoming_maintenance = now.upcoming_maintenance.value_or(json::object());
    out.raw = now.raw.value_or(json::object());
    return out;
  }

  Model& model_;
  const NodeDraft& draft_;
  std::size_t hosts_ = 1;
  std::uint64_t automatic_first_ = 0;
};

}  // namespace

std::optional<std::string> expand_node(Model& model, const NodeDraft& draft) { return Expansion(model, draft).run(); }

}  // namespace rollcall::sim
