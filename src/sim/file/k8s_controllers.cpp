// The names of pods and their labels, for each kind of controller.
#include <fmt/format.h>

#include "sim/file/k8s_draft.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

class PodNamer {
 public:
  PodNamer(KubePod& pod, KubeTexts& labels, KubeTexts& annotations, const KubePodsDraft& draft, const KubePlace& place)
      : pod_(pod), labels_(labels), annotations_(annotations), draft_(draft), place_(place) {}

  void plain() { pod_.name = kube_fill(draft_.name, place_); }

  void job() {
    pod_.owner = draft_.name;
    with_suffix(fmt::format("{}-", draft_.name));
    job_labels();
  }

  void indexed_job(const std::string& job) {
    pod_.owner = job;
    with_suffix(fmt::format("{}-{}-", job, place_.index));
    job_labels();
    const std::string index = std::to_string(place_.index);
    labels_["batch.kubernetes.io/job-completion-index"] = index;
    annotations_["batch.kubernetes.io/job-completion-index"] = index;
    pod_.hostname = fmt::format("{}-{}", job, place_.index);
    pod_.env.emplace_back("JOB_COMPLETION_INDEX", index);
  }

  void job_set() {
    const std::string& rjob = draft_.replicated_job;
    indexed_job(fmt::format("{}-{}-{}", draft_.name, rjob, place_.group));
    pod_.subdomain = draft_.name;
    for (KubeTexts* const texts : {&labels_, &annotations_}) {
      const auto set = [texts](std::string_view key, std::string value) {
        (*texts)["jobset.sigs.k8s.io/" + std::string(key)] = std::move(value);
      };
      set("global-replicas", std::to_string(draft_.groups));
      set("job-global-index", std::to_string(place_.group));
      set("job-index", std::to_string(place_.group));
      set("jobset-name", draft_.name);
      set("replicatedjob-name", rjob);
      set("replicatedjob-replicas", std::to_string(draft_.groups));
      set("restart-attempt", "0");
    }
    annotations_["jobset.sigs.k8s.io/coordinator"] = fmt::format("{0}-{1}-0-0.{0}", draft_.name, rjob);
  }

  void stateful_set() {
    pod_.owner = draft_.name;
    ordinal(draft_.name, place_.index);
    pod_.subdomain = draft_.name;
  }

  void replica_set() {
    const std::string hash = fingerprint(draft_.name).substr(0, 10);
    pod_.owner = fmt::format("{}-{}", draft_.name, hash);
    with_suffix(pod_.owner + "-");
    labels_["pod-template-hash"] = hash;
  }

  void leader_worker_set() {
    const std::string leader = fmt::format("{}-{}", draft_.name, place_.group);
    pod_.subdomain = draft_.name;
    if (place_.index == 0) {
      pod_.owner = draft_.name;
      ordinal(draft_.name, place_.group);
    } else {
      pod_.owner = leader;
      ordinal(leader, place_.index);
      annotations_["leaderworkerset.sigs.k8s.io/leader-name"] = leader;
    }
    const auto label = [this](std::string_view key, std::string value) {
      labels_["leaderworkerset.sigs.k8s.io/" + std::string(key)] = std::move(value);
    };
    label("name", draft_.name);
    label("group-index", std::to_string(place_.group));
    label("worker-index", std::to_string(place_.index));
    label("group-key", fingerprint(leader));
    annotations_["leaderworkerset.sigs.k8s.io/size"] = std::to_string(draft_.count);
    pod_.env.emplace_back("LWS_LEADER_ADDRESS", fmt::format("{}.{}.{}", leader, draft_.name, pod_.namespace_name));
    pod_.env.emplace_back("LWS_GROUP_SIZE", std::to_string(draft_.count));
    pod_.env.emplace_back("LWS_WORKER_INDEX", std::to_string(place_.index));
  }

 private:
  void with_suffix(std::string generate_name) {
    pod_.generate_name = std::move(generate_name);
    pod_.name = pod_.generate_name + name_suffix(fmt::format("{}/{}{}", pod_.namespace_name, pod_.generate_name, place_.number));
  }

  void job_labels() {
    const std::string uid = uuid_of(fmt::format("{}/Job/{}", pod_.namespace_name, pod_.owner));
    labels_["batch.kubernetes.io/controller-uid"] = uid;
    labels_["batch.kubernetes.io/job-name"] = pod_.owner;
    labels_["controller-uid"] = uid;
    labels_["job-name"] = pod_.owner;
  }

  void ordinal(const std::string& set, std::size_t number) {
    pod_.generate_name = set + "-";
    pod_.name = fmt::format("{}-{}", set, number);
    pod_.hostname = pod_.name;
    labels_["apps.kubernetes.io/pod-index"] = std::to_string(number);
    labels_["controller-revision-hash"] = fmt::format("{}-{}", set, fingerprint(set).substr(0, 10));
    labels_["statefulset.kubernetes.io/pod-name"] = pod_.name;
  }

  KubePod& pod_;
  KubeTexts& labels_;
  KubeTexts& annotations_;
  const KubePodsDraft& draft_;
  const KubePlace& place_;
};

}  // namespace

std::string kube_fill(std::string_view text, const KubePlace& place) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_placeholder = text[at] == '{' && at + 2 < text.size() && text[at + 2] == '}' &&
                                std::string_view("ginh").find(text[at + 1]) != std::string_view::npos;
    if (!is_placeholder) {
      out += text[at];
      continue;
    }
    const char letter = text[at + 1];
    out += std::to_string(letter == 'g' ? place.group : letter == 'i' ? place.index : letter == 'n' ? place.number : place.host);
    at += 2;
  }
  return out;
}

void kube_name_pod(KubePod& pod, KubeTexts& labels, KubeTexts& annotations, const KubePodsDraft& draft, const KubePlace& place) {
  PodNamer namer(pod, labels, annotations, draft, place);
  if (draft.kind == "job") namer.job();
  if (draft.kind == "indexed_job") namer.indexed_job(draft.name);
  if (draft.kind == "job_set") namer.job_set();
  if (draft.kind == "stateful_set") namer.stateful_set();
  if (draft.kind == "replica_set") namer.replica_set();
  if (draft.kind == "leader_worker_set") namer.leader_worker_set();
  if (draft.kind == "pod") namer.plain();
  if (!draft.hostname.empty()) pod.hostname = kube_fill(draft.hostname, place);
  if (!draft.subdomain.empty()) pod.subdomain = draft.subdomain;
  for (const auto& [key, value] : draft.labels) labels[key] = kube_fill(value, place);
  for (const auto& [key, value] : draft.annotations) annotations[key] = kube_fill(value, place);
  for (const auto& [name, value] : draft.set.env) pod.env.emplace_back(name, kube_fill(value, place));
}

}  // namespace rollcall::sim
