#include "sim/file/k8s_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sim/file/file.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

constexpr std::size_t max_pods = 100'000;
constexpr std::size_t max_pod_states = 2'000'000;

struct PodOwner {
  std::string_view kind;
  std::string_view controller;
  std::string_view api_version;
  std::string_view restart_policy;
};

constexpr PodOwner pod_owners[] = {{"pod", "", "", "Always"},
                                   {"job", "Job", "batch/v1", "Never"},
                                   {"indexed_job", "Job", "batch/v1", "Never"},
                                   {"job_set", "Job", "batch/v1", "Never"},
                                   {"stateful_set", "StatefulSet", "apps/v1", "Always"},
                                   {"replica_set", "ReplicaSet", "apps/v1", "Always"},
                                   {"leader_worker_set", "StatefulSet", "apps/v1", "Always"}};

std::optional<std::string> count_up(std::vector<std::string>& into, const std::vector<std::string>& bases, std::size_t number) {
  for (const std::string& base : bases) {
    auto address = address_plus(base, number);
    if (!address) return fmt::format("the network of {} has no {} addresses from there on", base, number + 1);
    into.push_back(*std::move(address));
  }
  return std::nullopt;
}

std::optional<std::string> check_pods(const KubeDraft& into, const KubePodsDraft& draft) {
  if (draft.name.empty()) return "pods need a name";
  const bool has_groups = draft.kind == "job_set" || draft.kind == "leader_worker_set";
  if (draft.groups > 1 && !has_groups) return "groups: only a job_set and a leader_worker_set have groups";
  if (draft.kind == "pod" && draft.count > 1 && draft.name.find("{i}") == std::string::npos)
    return "name: with a count the name must contain {i}";
  if (draft.kind != "pod" && !is_dns_subdomain(draft.name))
    return "name: a controller's name has no {i}; its pods are numbered by its kind";
  const std::size_t pods = draft.count * draft.groups;
  if (into.model.pods.size() + pods > max_pods) return fmt::format("count: at most {} pods in all", max_pods);
  for (const KubeScript& one : draft.except) {
    if (one.pod >= pods) return fmt::format("except: there is no pod {}, they are numbered from 0 to {}", one.pod, pods - 1);
  }
  return std::nullopt;
}

template <class T, class... Members>
void overlay(T& into, const T& over, Members... members) {
  ((over.*members ? void(into.*members = over.*members) : void()), ...);
}

// Values that an exception does not set are those of the other pods.
KubeScript script_of(const KubePodsDraft& draft, std::size_t number) {
  KubeScript out = draft.script;
  for (const KubeScript& one : draft.except) {
    if (one.pod != number) continue;
    overlay(out, one, &KubeScript::created_at, &KubeScript::running_after, &KubeScript::ready_after);
    if ((one.first.phase && *one.first.phase != "Running") || one.first.cause) out.running_after = out.ready_after = std::nullopt;
    if (one.first.phase) out.first.cause.reset();
    if (one.first.cause) out.first.phase.reset();
    overlay(out.first, one.first, &KubeChange::phase, &KubeChange::ready, &KubeChange::reason, &KubeChange::message, &KubeChange::waiting,
            &KubeChange::exit_code, &KubeChange::restarts, &KubeChange::cause, &KubeChange::labels, &KubeChange::raw);
    if (!one.timeline.empty()) out.timeline = one.timeline;
  }
  return out;
}

}  // namespace

std::optional<std::string> kube_expand(KubeDraft& into, const KubePodsDraft& draft) {
  if (auto wrong = check_pods(into, draft)) return wrong;
  auto set = std::make_shared<KubePodSet>(draft.set);
  const PodOwner& owner =
      *std::find_if(std::begin(pod_owners), std::end(pod_owners), [&](const PodOwner& one) { return one.kind == draft.kind; });
  set->kind = owner.controller;
  set->api_version = owner.api_version;
  set->workload = draft.kind;
  set->workload_name = draft.name;
  set->replicated_job = draft.replicated_job;
  set->count = draft.count;
  set->groups = draft.groups;
  if (set->restart_policy.empty()) set->restart_policy = owner.restart_policy;
  const std::size_t automatic = into.model.pods.size();
  std::size_t states = 0;
  for (std::size_t number = 0; number < draft.count * draft.groups; ++number) {
    const KubePlace place{number / draft.count, number % draft.count, number, number / draft.pods_per_host};
    KubePod pod;
    pod.set = set;
    pod.namespace_name = draft.namespace_name.empty() ? into.model.default_namespace : draft.namespace_name;
    KubeTexts labels;
    KubeTexts annotations;
    kube_name_pod(pod, labels, annotations, draft, place);
    pod.annotations = std::make_shared<const KubeTexts>(std::move(annotations));
    pod.node = draft.node.empty() ? fmt::format("{}-host-{}", kube_fill(draft.name, place), place.host) : kube_fill(draft.node, place);
    if (!is_dns_subdomain(pod.name)) return fmt::format("name: {} is no name of a pod", pod.name);
    if (!into.keys.insert(pod.namespace_name + "/" + pod.name).second)
      return fmt::format("name: there are two pods {}/{}", pod.namespace_name, pod.name);
    auto wrong = draft.host_ips.empty() ? count_up(pod.host_ips, {"10.128.0.2"}, automatic + place.host)
                                        : count_up(pod.host_ips, draft.host_ips, place.host);
    if (wrong) return "host_ips: " + *wrong;
    wrong = draft.pod_ips.empty() ? count_up(pod.pod_ips, {"10.4.0.2"}, automatic + number) : count_up(pod.pod_ips, draft.pod_ips, number);
    if (wrong) return "pod_ips: " + *wrong;
    if (set->host_network) pod.pod_ips = pod.host_ips;
    if (auto bad = add_pod_states(pod, labels, script_of(draft, number), draft.stagger * static_cast<std::int64_t>(number))) return bad;
    states += pod.states.size();
    if (states + into.model.events.size() > max_pod_states) return "the file has too many changes of pods";
    into.model.pods.push_back(std::move(pod));
  }
  return std::nullopt;
}

void kube_complete(KubernetesModel& model) {
  // Versions are assigned in the order of time; changes at the same time are in the order of the file.
  for (std::size_t p = 0; p < model.pods.size(); ++p) {
    for (std::size_t s = 0; s < model.pods[p].states.size(); ++s)
      model.events.push_back({model.pods[p].states[s].at, static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(s)});
  }
  for (std::size_t o = 0; o < model.objects.size(); ++o) {
    for (std::size_t s = 0; s < model.objects[o].states.size(); ++s)
      model.events.push_back({model.objects[o].states[s].at, static_cast<std::uint32_t>(o), static_cast<std::uint32_t>(s), true});
  }
  std::sort(model.events.begin(), model.events.end(), [](const KubeEvent& a, const KubeEvent& b) {
    return std::tie(a.at, a.is_of_object, a.pod, a.state) < std::tie(b.at, b.is_of_object, b.pod, b.state);
  });
  std::uint64_t version = model.first_version;
  for (const KubeEvent& event : model.events) {
    if (event.is_of_object) model.objects[event.pod].states[event.state].version = ++version;
    if (!event.is_of_object) model.pods[event.pod].states[event.state].version = ++version;
  }

  std::vector<std::uint32_t> order(model.pods.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(model.pods[a].namespace_name, model.pods[a].name) < std::tie(model.pods[b].namespace_name, model.pods[b].name);
  });
  std::vector<std::uint32_t> place(order.size());
  std::vector<KubePod> sorted;
  sorted.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::uint32_t>(i);
    sorted.push_back(std::move(model.pods[order[i]]));
  }
  model.pods = std::move(sorted);
  for (KubeEvent& event : model.events) {
    if (!event.is_of_object) event.pod = place[event.pod];
  }
  kube_add_owners(model);

  std::set<std::string> namespaces(model.namespaces.begin(), model.namespaces.end());
  for (const std::string_view name : {"default", "kube-node-lease", "kube-public", "kube-system"}) namespaces.emplace(name);
  namespaces.insert(model.default_namespace);
  for (const KubePod& pod : model.pods) namespaces.insert(pod.namespace_name);
  for (const KubeObject& object : model.objects) {
    if (!object.namespace_name.empty()) namespaces.insert(object.namespace_name);
  }
  model.namespaces.assign(namespaces.begin(), namespaces.end());
  std::sort(model.restarts.begin(), model.restarts.end());
}

}  // namespace rollcall::sim
