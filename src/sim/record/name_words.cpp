#include "sim/record/name_words.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace rollcall::sim {
namespace {

template <std::size_t N>
bool is_listed(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Members whose texts are names of the user's.
constexpr std::array<std::string_view, 34> name_members = {"name",
                                                           "namespace",
                                                           "generateName",
                                                           "nodeName",
                                                           "hostname",
                                                           "subdomain",
                                                           "serviceAccountName",
                                                           "serviceAccount",
                                                           "image",
                                                           "nominatedNodeName",
                                                           "queueName",
                                                           "clusterQueue",
                                                           "claimName",
                                                           "secretName",
                                                           "podGroupName",
                                                           "resourceClaimName",
                                                           "priorityClassName",
                                                           "project",
                                                           "projectId",
                                                           "network",
                                                           "subnetwork",
                                                           "email",
                                                           "selfLink",
                                                           "instance",
                                                           "instanceGroupManager",
                                                           "nodeId",
                                                           "parent",
                                                           "host",
                                                           "reportingInstance",
                                                           "serviceName",
                                                           "jobName",
                                                           "leaderName",
                                                           "queuedResource",
                                                           "providerID"};
// Members whose texts are words of the service's own, or times.
constexpr std::array<std::string_view, 26> own_words = {"kind",
                                                        "apiVersion",
                                                        "phase",
                                                        "reason",
                                                        "type",
                                                        "status",
                                                        "operator",
                                                        "effect",
                                                        "protocol",
                                                        "state",
                                                        "health",
                                                        "restartPolicy",
                                                        "imagePullPolicy",
                                                        "dnsPolicy",
                                                        "qosClass",
                                                        "resourceVersion",
                                                        "uid",
                                                        "fieldPath",
                                                        "startTime",
                                                        "finishedAt",
                                                        "startedAt",
                                                        "createTime",
                                                        "lastTransitionTime",
                                                        "creationTimestamp",
                                                        "verbs",
                                                        "fieldsType"};
// Lists whose `name` is a word of the service's own.
constexpr std::array<std::string_view, 4> lists_of_own_names = {"env", "ports", "schedulingGates", "tolerations"};
constexpr std::array<std::string_view, 4> text_maps = {"labels", "annotations", "matchLabels", "nodeSelector"};

// Domains of label keys that many clusters have.
bool is_public_domain(std::string_view domain) {
  constexpr std::array<std::string_view, 13> ends = {"kubernetes.io", "k8s.io",     "nvidia.com",   "google.com", "amazonaws.com",
                                                     "ray.io",        "volcano.sh", "kubeflow.org", "k8s.aws",    "amd.com",
                                                     "intel.com",     "azure.com",  "karpenter.sh"};
  return std::any_of(ends.begin(), ends.end(), [domain](std::string_view end) {
    return domain == end || domain.ends_with("." + std::string(end)) || domain.ends_with("-" + std::string(end));
  });
}

}  // namespace

bool has_own_value(std::string_view key) {
  constexpr std::array<std::string_view, 6> ends = {"/operator-name", "/replica-type",    "/node-type",
                                                    "-ancestor-step", "/restart-attempt", "/is-ray-node"};
  if (std::any_of(ends.begin(), ends.end(), [key](std::string_view end) { return key.ends_with(end); })) return true;
  constexpr std::array<std::string_view, 9> starts = {"nvidia.com/",
                                                      "amd.com/",
                                                      "cloud.google.com/gke-tpu",
                                                      "cloud.google.com/gke-accelerator",
                                                      "topology.kubernetes.io/",
                                                      "node.kubernetes.io/",
                                                      "beta.kubernetes.io/",
                                                      "kubernetes.io/os",
                                                      "kubernetes.io/arch"};
  return std::any_of(starts.begin(), starts.end(), [key](std::string_view start) { return key.starts_with(start); });
}

std::string_view domain_of(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

bool has_own_domain(std::string_view key) { return !domain_of(key).empty() && !is_public_domain(domain_of(key)); }

TextRole role_of(std::string_view member, std::string_view list) {
  if (is_listed(own_words, member)) return TextRole::own_word;
  const bool is_own_name = member == "name" && is_listed(lists_of_own_names, list);
  return is_listed(name_members, member) && !is_own_name ? TextRole::name : TextRole::text;
}

bool is_own_segment(std::string_view segment) {
  constexpr std::array<std::string_view, 26> words = {"projects",
                                                      "locations",
                                                      "zones",
                                                      "regions",
                                                      "nodes",
                                                      "instances",
                                                      "instanceGroups",
                                                      "instanceGroupManagers",
                                                      "queuedResources",
                                                      "global",
                                                      "networks",
                                                      "subnetworks",
                                                      "acceleratorTypes",
                                                      "machineTypes",
                                                      "compute",
                                                      "v1",
                                                      "v2",
                                                      "v2alpha1",
                                                      "https:",
                                                      "http:",
                                                      "aggregated",
                                                      "listInstances",
                                                      "operations",
                                                      "namespaces",
                                                      "pods",
                                                      "diskTypes"};
  const bool is_place = segment.size() > 4 && segment.find('-') != std::string_view::npos &&
                        (segment.starts_with("us-") || segment.starts_with("europe-") || segment.starts_with("asia-") ||
                         segment.starts_with("northamerica-") || segment.starts_with("southamerica-") ||
                         segment.starts_with("australia-") || segment.starts_with("me-") || segment.starts_with("africa-"));
  return is_listed(words, segment) || is_place || segment.ends_with(".googleapis.com") || segment == "-";
}

bool is_text_map(std::string_view member) { return is_listed(text_maps, member); }

}  // namespace rollcall::sim
