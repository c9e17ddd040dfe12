#include "resolvers/kubernetes/rules/found_pod.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/order.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/rules/pod_causes.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

bool is_of_family(AddressFamily family, std::string_view address) {
  switch (family) {
    case AddressFamily::any: return true;
    case AddressFamily::ipv4: return is_ipv4_literal(address);
    case AddressFamily::ipv6: return is_ipv6_literal(address, false);
  }
  return false;
}

Failure pod_without_address(const FoundPod& pod, const KubernetesOptions& options) {
  if (!pod.refused.empty()) return Failure(Errc::malformed_response, fmt::format("pod {} {}", shown_pod(pod), pod.refused));
  const std::string_view field = options.address() == PodAddress::host ? "hostIP" : "podIP";
  if (pod.other_address.empty())
    return Failure(Errc::malformed_response, fmt::format("pod {} is Running but has no {}", shown_pod(pod), field));
  return Failure(Errc::failed_precondition, fmt::format("pod {} {}", shown_pod(pod), other_family_text(pod, options)))
      .with_hint("choose the other family, or leave the choice to Kubernetes");
}

Result<void> judge_pod(const FoundPod& pod, const KubernetesOptions& options, WallTime now) {
  if (pod.phase.empty()) return Failure(Errc::malformed_response, fmt::format("pod {} has no status.phase", shown_pod(pod)));
  if (pod.phase != "Running") {
    std::string hint = "wait until it runs: rollcall wait; or see why it does not: rollcall why, kubectl describe pod";
    const bool is_of_job = pod.position.convention == PodConvention::indexed_job || pod.position.convention == PodConvention::jobset;
    if (has_ended(pod))
      hint = is_made_again(pod) || (is_of_job && pod.phase == "Failed")
                 ? "wait until its controller has made another, or see kubectl describe pod"
                 : "it has ended: delete it, or narrow the selector";
    return Failure(Errc::not_ready, fmt::format("pod {} is {}, not Running", shown_pod(pod), pod_text(pod, pod_why(pod, now))))
        .with_hint(std::move(hint));
  }
  if (pod.address.empty()) return pod_without_address(pod, options);
  return {};
}

bool is_earlier_name(const FoundPod* a, const FoundPod* b) { return a->name < b->name; }

}  // namespace

std::string shown_pod(const FoundPod& pod) {
  return quoted(pod.namespace_name.empty() ? pod.name : fmt::format("{}/{}", pod.namespace_name, pod.name), 300);
}

std::size_t memory_of(const FoundPod& pod) {
  std::size_t bytes = sizeof(FoundPod) + 32;
  for (const std::string* const text : {&pod.name, &pod.namespace_name, &pod.uid, &pod.version, &pod.phase, &pod.address,
                                        &pod.other_address, &pod.position.group, &pod.position.role}) {
    if (text->size() > 15) bytes += text->capacity() + 17;
  }
  // As if it were not shared: a list may have as many owners as pods.
  if (pod.owner)
    bytes += sizeof(PodOwner) + pod.owner->api_version.size() + pod.owner->kind.size() + pod.owner->name.size() + pod.owner->uid.size();
  if (pod.groups) bytes += sizeof(PodGroups) + pod.groups->volcano.size() + pod.groups->coscheduling.size() + pod.groups->kueue.size();
  if (pod.state) bytes += memory_of(*pod.state);
  return pod.details ? bytes + memory_of(*pod.details) : bytes;
}

std::string other_family_text(const FoundPod& pod, const KubernetesOptions& options) {
  return fmt::format("has no {} address, only {}", options.family() == AddressFamily::ipv4 ? "IPv4" : "IPv6",
                     printable(pod.other_address, 64));
}

bool has_ended(const FoundPod& pod) { return pod.phase == "Succeeded" || pod.phase == "Failed"; }

bool is_leaving(const FoundPod& pod) { return pod.state && pod.state->is_leaving; }

void share_owner(FoundPod& pod, const FoundPod& neighbour) {
  if (pod.owner == neighbour.owner) pod.owner = neighbour.owner;
  if (pod.groups == neighbour.groups) pod.groups = neighbour.groups;
}

FoundPod found_pod(Pod& pod, PodAddress address, AddressFamily family) {
  FoundPod found;
  found.position = pod_position(pod);
  found.details = pod_details(pod);
  found.groups = pod_groups(pod);
  const bool is_host = address == PodAddress::host;
  const std::string& refused = is_host ? pod.refused_host_ip : pod.refused_pod_ip;
  const auto offer = [&found, family](const std::string& one) {
    if (one.empty()) return;
    std::string& slot = is_of_family(family, one) ? found.address : found.other_address;
    if (slot.empty()) slot = one;
  };
  if (refused.empty()) {
    offer(is_host ? pod.host_ip : pod.pod_ip);  // equals the first entry of the list, if there is a list
    for (const std::string& one : is_host ? pod.host_ips : pod.pod_ips) offer(one);
  } else {
    found.refused = fmt::format("has {} for an address, which is none", refused);
  }
  found.name = std::move(pod.name);
  found.owner = std::move(pod.owner);
  found.namespace_name = pod.namespace_name;
  found.phase = pod.phase;
  found.uid = std::move(pod.uid);
  found.version = std::move(pod.resource_version);
  found.created = pod.created;
  found.state = std::move(pod.state);
  found.is_ready = pod.is_ready;
  return found;
}

Result<void> fit_pods(PodPointers& ordered, const KubernetesOptions& options, WallTime now) {
  // A server lists the pods of a namespace in this order: then no sort is needed.
  if (!std::is_sorted(ordered.begin(), ordered.end(), is_earlier_name)) sort_stably(ordered, is_earlier_name);
  for (const FoundPod* const pod : ordered) {
    const Result<void> fine = judge_pod(*pod, options, now);
    if (!fine) return fine;
  }
  return {};
}

std::vector<std::string> pod_addresses(const PodPointers& pods, const KubernetesOptions& options) {
  std::vector<std::string> addresses;
  addresses.reserve(pods.size());
  for (const FoundPod* const pod : pods) addresses.push_back(Endpoint(pod->address, options.port()).to_text());
  return addresses;
}

}  // namespace rollcall
