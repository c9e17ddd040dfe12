// The content of a simulation file as values. Made by file*.cpp, read by the services.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/sim/cloud.hpp"
#include "rollcall/time.hpp"
#include "sim/model/compute_model.hpp"
#include "sim/model/k8s_model.hpp"
#include "sim/model/members_model.hpp"
#include "sim/model/recorded_model.hpp"
#include "sim/model/sign_in_model.hpp"
#include "sim/model/slurm_model.hpp"
#include "sim/model/worker_model.hpp"

namespace rollcall::sim {

namespace json = boost::json;

struct NodeEndpoint {
  std::string ip;
  int port = 8470;  // 0: omitted by the API
  std::string external_ip;
};

/// The state of a node from a time on.
struct NodeMoment {
  Duration at{0};
  std::string state = "READY";  // "DELETED": the node does not exist
  std::string health;
  std::string health_description;
  std::string id;
  std::vector<NodeEndpoint> endpoints;
  json::array symptoms;
  json::object upcoming_maintenance;  // v2alpha1
  json::object raw;  // merged into the node's JSON without checks; null removes a field
};

struct NodeModel {
  std::string project;
  std::string zone;
  std::string name;
  std::string accelerator_type;
  std::string config_type;  // acceleratorConfig.type; empty: none
  std::string topology;
  std::string runtime_version;
  std::string description;
  std::string network;
  std::string service_account;
  std::string cidr_block;
  std::string queued_resource;
  std::string create_time;
  bool is_preemptible = false;
  bool is_spot = false;
  bool is_reserved = false;
  bool is_multislice = false;
  bool is_legacy = false;  // v1 shows ipAddress and port, but no networkEndpoints
  std::size_t slice = 0;   // number in a multislice request
  json::object labels;
  json::object metadata;
  json::array tags;
  std::vector<NodeMoment> timeline;  // ascending
  std::shared_ptr<const NodeWorkers> workers;  // null: nothing listens at its addresses

  std::string location() const { return "projects/" + project + "/locations/" + zone; }
  std::string full_name() const { return location() + "/nodes/" + name; }
};

/// The state of a queued resource from a time on.
struct QueuedMoment {
  Duration at{0};
  std::string state = "ACTIVE";  // "DELETED": the request does not exist
  std::string initiator;         // USER, SERVICE; empty: omitted
  json::object error;            // google.rpc.Status of FAILED
  json::object raw;              // merged into its JSON without checks; null removes a field
};

struct QueuedModel {
  std::string project;
  std::string zone;
  std::string name;
  std::string node_id;     // of a single node
  std::string prefix;      // of the slices' nodes
  std::size_t slices = 0;  // 0: a single node
  json::object node;       // as it was requested
  bool is_spot = false;
  bool is_best_effort = false;  // v2alpha1
  std::optional<json::object> guaranteed;
  json::object queueing_policy;
  std::string reservation_name;
  std::string create_time;
  std::vector<QueuedMoment> timeline;  // ascending

  std::string location() const { return "projects/" + project + "/locations/" + zone; }
  std::string full_name() const { return location() + "/queuedResources/" + name; }
};

enum class MetadataKind { text, number, list, json, empty_object, empty_array, token, identity };

struct MetadataValue {
  MetadataKind kind = MetadataKind::text;
  std::string text;
};

struct MetadataMoment {
  Duration at{0};
  std::optional<MetadataValue> value;  // none: 404
};

/// The timeline of a value that does not change; without a value, of a path that does not exist.
inline std::vector<MetadataMoment> always(std::optional<MetadataValue> value) {
  std::vector<MetadataMoment> timeline(1);
  timeline.front().value = std::move(value);
  return timeline;
}

/// Leaves by full path ("instance/zone"); an empty directory is a path with a trailing slash.
using MetadataTree = std::map<std::string, std::vector<MetadataMoment>, std::less<>>;

struct TokenModel {
  Duration lifetime = std::chrono::seconds(3599);
  Duration age{0};                                    // age of the first token at its first request
  Duration renewed_before = std::chrono::minutes(5);  // a new token is made this long before the old one expires
};

struct ApiModel {
  bool is_open = false;       // no token needed
  bool checks_expiry = true;  // tokens of the metadata server are refused once they have expired
  std::optional<std::vector<std::string>> tokens;  // accepted in addition to those of the metadata server; absent: any
  int max_page_size = 1000;
  bool gzips = false;
};

struct FaultRule {
  // the requests that it matches; empty: any
  std::string route;
  std::string method;
  std::string host;
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
  // the matching requests to which it applies
  std::uint64_t after = 0;
  std::uint64_t every = 1;
  std::optional<std::uint64_t> times;
  Duration from{0};
  std::optional<Duration> until;
  // its effect
  Fault fault;
  bool expires_token = false;
  std::optional<int> status;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> body;
  std::string content_type;
  std::string message;
  std::string reason;
  std::string retry_delay;  // RetryInfo, as written ("1.5s")
  Duration delay{0};
  bool is_gzip = false;
  bool is_chunked = false;

  bool is_final() const { return fault.kind != FaultKind::none || status.has_value() || expires_token; }
};

struct AcceleratorTypeModel {
  std::string name;
  std::vector<std::pair<std::string, std::string>> configs;  // type, topology
};

struct Model {
  std::string project = "example-proj";
  std::string project_number = "123456789012";
  std::string zone = "us-central2-b";
  std::vector<std::string> zones;  // all zones, sorted
  std::vector<std::string> unreachable_zones;
  std::string start_time = "2026-01-01T00:00:00Z";
  bool has_metadata_server = true;
  bool requires_flavor = true;
  MetadataTree metadata;
  TokenModel token;
  ApiModel api;
  SignInModel sign_in;
  std::vector<NodeModel> nodes;     // sorted by full name
  std::vector<QueuedModel> queued;  // sorted by full name
  std::vector<FreeWorker> workers;
  std::vector<AcceleratorTypeModel> accelerator_types;
  std::vector<std::string> runtime_versions;
  std::vector<FaultRule> faults;
  ComputeModel compute;
  std::shared_ptr<const KubernetesModel> kubernetes;  // null: no cluster
  std::shared_ptr<const SlurmClusterModel> slurm;     // null: no cluster
  std::shared_ptr<const MembersModel> members;        // null: none
  std::shared_ptr<const RecordedModel> recorded;      // null: nothing was recorded; else its answers come before the services' own
};

/// The last entry with `at` not after `now` (both counted from the start); null before the first.
template <class Moment>
const Moment* moment_at(const std::vector<Moment>& timeline, Duration now) {
  const auto after = std::upper_bound(timeline.begin(), timeline.end(), now, [](Duration t, const Moment& m) { return t < m.at; });
  return after == timeline.begin() ? nullptr : &*std::prev(after);
}

/// The start of the next entry; none if there is no later one.
template <class Moment>
std::optional<Duration> next_moment(const std::vector<Moment>& timeline, Duration now) {
  const auto after = std::upper_bound(timeline.begin(), timeline.end(), now, [](Duration t, const Moment& m) { return t < m.at; });
  if (after == timeline.end()) return std::nullopt;
  return after->at;
}

}  // namespace rollcall::sim
