// The Kubernetes cluster of a simulation file as values: its callers, and every pod with all its states.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

using KubeTexts = std::map<std::string, std::string, std::less<>>;  // labels, annotations: sorted, as the API prints them

struct KubeRule {
  std::vector<std::string> namespaces;  // "*": all namespaces and the resources of the cluster
  std::vector<std::string> verbs;       // "*": all verbs
  std::vector<std::string> resources = {"pods"};
};

struct KubeUser {
  std::string name;
  std::string token;  // empty: for a caller that has signed in under that name
  std::optional<std::vector<KubeRule>> rules;  // none: all rights
};

/// The common properties of the pods of one entry of the file.
struct KubePodSet {
  std::string workload;  // the entry's kind: job_set, …; empty: of an object of the file
  std::string workload_name;
  std::string replicated_job;
  std::size_t count = 1;   // pods of each group
  std::size_t groups = 1;
  std::string kind;  // of the controller: Job, StatefulSet, …; empty: none
  std::string api_version;
  std::string image = "example.com/trainer:1";
  std::vector<std::string> command;
  std::vector<std::pair<std::string, int>> ports;
  std::vector<std::pair<std::string, std::string>> env;  // with placeholders
  KubeTexts node_selector;
  std::int64_t tpus = 0;
  std::string service_account = "default";
  std::string restart_policy;
  bool host_network = false;
};

/// A pod from one version on, until its next state.
struct KubePodState {
  Duration at{0};
  std::uint64_t version = 0;
  bool is_gone = false;  // deleted with this version
  bool is_new = false;   // created with this version
  int life = 0;          // counts creations under the same name
  int generation = 1;
  Duration created{0};
  Duration changed{0};   // last transition
  std::optional<Duration> started;
  std::string phase = "Pending";
  bool is_scheduled = false;
  bool is_seen = false;  // the kubelet has reported: conditions and container states exist
  bool is_ready = false;
  std::string reason;    // of the status
  std::string message;
  std::string waiting;   // the reason why the container waits
  int exit_code = 0;
  int restarts = 0;
  std::string cause;     // one of kube_causes; empty: none
  std::optional<Duration> deletion;  // deletionTimestamp
  std::int64_t grace = 30;
  std::shared_ptr<const KubeTexts> labels;
  std::shared_ptr<const boost::json::object> raw;  // merged into the pod; null removes
  bool is_whole = false;                           // `raw` is the pod
};

/// What keeps a pod from being ready, as the scheduler and the kubelet show it.
inline constexpr std::array<std::string_view, 13> kube_causes = {
    "unschedulable", "gated",         "image_pull", "mount_failed", "config_missing", "init_failing", "init_running",
    "crash_loop",    "out_of_memory", "not_ready",  "evicted",      "node_refuses",   "node_down"};

struct KubePod {
  std::shared_ptr<const KubePodSet> set;
  std::string namespace_name;
  std::string name;
  std::string generate_name;
  std::string owner;
  std::string hostname;
  std::string subdomain;
  std::string node;
  std::vector<std::string> host_ips;
  std::vector<std::string> pod_ips;
  std::shared_ptr<const KubeTexts> annotations;
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<std::uint32_t> objects;  // the numbers of its controllers and its node
  std::vector<KubePodState> states;    // ascending versions
};

/// How an object's JSON is made.
enum class KubeObjectKind { written, controller, node };

/// An object of the file from one version on, until its next state.
struct KubeObjectState {
  Duration at{0};
  std::uint64_t version = 0;
  bool is_gone = false;
  std::shared_ptr<const boost::json::object> json;  // of a written one: whole, but for its version
};

/// An object that is no pod: written in the file, or the controller or the node of pods.
struct KubeObject {
  KubeObjectKind how = KubeObjectKind::written;
  std::string group;  // empty: the core API
  std::string version = "v1";
  std::string kind;
  std::string resource;  // jobs
  std::string namespace_name;  // empty: of the cluster
  std::string name;
  std::shared_ptr<const KubePodSet> set;  // of a controller
  std::string owner_kind;                 // of a controller that has one
  std::string owner_name;
  std::vector<std::uint32_t> pods;        // of a controller or a node
  std::vector<std::uint64_t> changes;     // versions at which these pods changed, ascending
  std::vector<KubeObjectState> states;    // ascending versions

  std::string group_version() const { return group.empty() ? version : group + "/" + version; }
};

struct KubeEvent {
  Duration at{0};
  std::uint32_t pod = 0;  // or the number of an object
  std::uint32_t state = 0;
  bool is_of_object = false;
};

enum class WatchListSupport { yes, forbidden, failing };

struct KubernetesModel {
  std::string minor = "37";
  std::string default_namespace = "default";
  std::vector<std::string> namespaces;  // sorted, those of pods included
  bool allows_anonymous = true;
  bool has_managed_fields = true;
  WatchListSupport watch_list = WatchListSupport::yes;
  std::uint64_t first_version = 1000;
  std::optional<Duration> history = std::chrono::minutes(5);  // how long versions can be read; none: without limit
  std::vector<Duration> restarts;                             // of the API server, ascending
  std::vector<KubeUser> users;                                // empty: every token has all rights
  WallTime start{};
  std::vector<KubePod> pods;      // sorted by namespace, name
  std::vector<KubeObject> objects;  // sorted by group, resource, namespace, name
  std::vector<KubeEvent> events;  // the n-th makes version first_version + n, n from 1
};

/// The version at a time.
std::uint64_t kube_version_at(const KubernetesModel& model, Duration now);
/// The pod's state at a version; null if the pod does not exist then.
const KubePodState* kube_state_at(const KubePod& pod, std::uint64_t version);
/// The object's state at a version; null if it does not exist then.
const KubeObjectState* kube_state_at(const KubeObject& object, std::uint64_t version);
/// The version at which the object, or what it is made of, changed last before or at `version`.
std::uint64_t kube_shown_version(const KubeObject& object, std::uint64_t version);
/// The event that made a version; null if no change did.
const KubeEvent* kube_event_of(const KubernetesModel& model, std::uint64_t version);
/// The oldest version for a list, and the oldest for the start of a watch.
std::uint64_t kube_oldest_listed(const KubernetesModel& model, Duration now);
std::uint64_t kube_oldest_watched(const KubernetesModel& model, Duration now);

}  // namespace rollcall::sim
