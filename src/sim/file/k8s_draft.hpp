// Pods of the file as written, before they become pods of the model.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/file/file.hpp"
#include "sim/model/k8s_model.hpp"

namespace rollcall::sim {

/// The changes of a timeline's entry.
struct KubeChange {
  Duration at{0};
  std::optional<std::string> phase;
  std::optional<bool> ready;
  std::optional<std::string> reason;
  std::optional<std::string> message;
  std::optional<std::string> waiting;
  std::optional<int> exit_code;
  std::optional<int> restarts;
  std::optional<std::string> cause;
  std::optional<boost::json::object> labels;  // null removes
  std::optional<boost::json::object> raw;
  std::optional<Duration> terminating;
  bool is_deletion = false;
};

/// The states of a pod over time.
struct KubeScript {
  std::optional<Duration> created_at;
  std::optional<Duration> running_after;
  std::optional<Duration> ready_after;
  KubeChange first;
  std::vector<KubeChange> timeline;
  std::size_t pod = 0;  // of an exception: the number of its pod
};

inline constexpr std::array<std::string_view, 7> kube_kinds = {"pod",          "job",         "indexed_job",      "job_set",
                                                               "stateful_set", "replica_set", "leader_worker_set"};

struct KubePodsDraft {
  KubePodSet set;
  std::string kind = "pod";
  std::string name;
  std::string namespace_name;
  std::size_t count = 1;
  std::size_t groups = 1;
  std::size_t pods_per_host = 1;
  std::string replicated_job = "workers";
  std::string node;
  std::string hostname;
  std::string subdomain;
  std::vector<std::string> host_ips;
  std::vector<std::string> pod_ips;
  KubeTexts labels;
  KubeTexts annotations;
  Duration stagger{0};
  KubeScript script;
  std::vector<KubeScript> except;
};

/// Collects pods in the order of the file.
class KubeDraft {
 public:
  KubernetesModel model;
  std::set<std::string, std::less<>> keys;         // of pods: namespace/name
  std::set<std::string, std::less<>> object_keys;  // group/resource/namespace/name
};

/// The position of a pod in its set.
struct KubePlace {
  std::size_t group = 0;
  std::size_t index = 0;   // within the group
  std::size_t number = 0;  // over all groups
  std::size_t host = 0;
};

/// The text with `{g}`, `{i}`, `{n}` and `{h}` replaced.
std::string kube_fill(std::string_view text, const KubePlace& place);

/// Sets name, owner, labels and so on as the controller of this kind does. Values of the draft take precedence.
void kube_name_pod(KubePod& pod, KubeTexts& labels, KubeTexts& annotations, const KubePodsDraft& draft, const KubePlace& place);

/// Appends all states of the pod. Returns the fault of the script, if there is one.
std::optional<std::string> add_pod_states(KubePod& pod, const KubeTexts& labels, const KubeScript& script, Duration stagger);

/// Adds the draft's pods. Returns its fault, if there is one.
std::optional<std::string> kube_expand(KubeDraft& into, const KubePodsDraft& draft);

/// Sets versions, order and namespaces after all pods have been added.
void kube_complete(KubernetesModel& model);

/// Adds an object of the file, or a pod that is written as one. Returns its fault, if there is one.
struct KubeObjectDraft {
  boost::json::object object;
  std::optional<Duration> created_at;
  struct Change {
    Duration at{0};
    boost::json::object patch;
    bool is_deletion = false;
  };
  std::vector<Change> timeline;
};
std::optional<std::string> kube_add_object(KubeDraft& into, const KubeObjectDraft& draft);

/// Adds the controllers and nodes of the pods, but for those that the file has written itself, and sorts the objects. Call it when all pods
/// have their places and all changes their versions.
void kube_add_owners(KubernetesModel& model);

/// Parses one entry of `objects`.
void read_kube_object(KubeDraft& draft, const FileValue& value);
void describe_kube_object(FileSections& out);

/// Parses one entry of `pods`.
void read_kube_pods(KubeDraft& draft, const FileValue& value);
void describe_kube_pods(FileSections& out);

}  // namespace rollcall::sim
