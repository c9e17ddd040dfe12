#include "resolvers/kubernetes/found_pod.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/order.hpp"
#include "base/text.hpp"
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
  return Failure(Errc::failed_precondition,
                 fmt::format("pod {} has no {} address, only {}", shown_pod(pod), options.family() == AddressFamily::ipv4 ? "IPv4" : "IPv6",
                             printable(pod.other_address, 64)))
      .with_hint("choose the other family, or leave the choice to Kubernetes");
}

Result<void> judge_pod(const FoundPod& pod, const KubernetesOptions& options) {
  if (pod.phase.empty()) return Failure(Errc::malformed_response, fmt::format("pod {} has no status.phase", shown_pod(pod)));
  if (pod.phase != "Running") {
    const std::string why = pod.trouble.empty() ? std::string() : fmt::format(" ({})", printable(pod.trouble, 128));
    return Failure(Errc::not_ready, fmt::format("pod {} is {}{}, not Running", shown_pod(pod), printable(pod.phase, 64), why))
        .with_hint(has_ended(pod) ? "it has ended: delete it, or narrow the selector" : "wait until it runs, or see kubectl describe pod");
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
  for (const std::string* const text : {&pod.name, &pod.namespace_name, &pod.uid, &pod.version, &pod.phase, &pod.trouble, &pod.message,
                                        &pod.address, &pod.other_address, &pod.position.group, &pod.position.role}) {
    if (text->size() > 15) bytes += text->capacity() + 17;
  }
  // As if it were not shared: a list may have as many owners as pods.
  if (pod.owner)
    bytes += sizeof(PodOwner) + pod.owner->api_version.size() + pod.owner->kind.size() + pod.owner->name.size() + pod.owner->uid.size();
  return pod.details ? bytes + memory_of(*pod.details) : bytes;
}

bool has_ended(const FoundPod& pod) { return pod.phase == "Succeeded" || pod.phase == "Failed"; }

void share_owner(FoundPod& pod, const FoundPod& neighbour) {
  if (pod.owner == neighbour.owner) pod.owner = neighbour.owner;
}

FoundPod found_pod(Pod& pod, PodAddress address, AddressFamily family) {
  FoundPod found;
  found.position = pod_position(pod);
  found.details = pod_details(pod);
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
  found.owner = pod.owner;
  found.namespace_name = pod.namespace_name;
  found.phase = pod.phase;
  found.trouble = pod.trouble;
  found.uid = std::move(pod.uid);
  found.version = std::move(pod.resource_version);
  found.message = std::move(pod.message);
  found.is_ready = pod.is_ready;
  return found;
}

Result<PodPointers> fit_pods(const FoundPodList& pods, const KubernetesOptions& options) {
  PodPointers ordered;
  ordered.reserve(pods.size());
  for (const FoundPod& pod : pods) ordered.push_back(&pod);
  const Result<void> fine = fit_pods(ordered, options);
  if (!fine) return fine.error();
  return ordered;
}

Result<void> fit_pods(PodPointers& ordered, const KubernetesOptions& options) {
  // A server lists the pods of a namespace in this order: then no sort is needed.
  if (!std::is_sorted(ordered.begin(), ordered.end(), is_earlier_name)) sort_stably(ordered, is_earlier_name);
  for (const FoundPod* const pod : ordered) {
    const Result<void> fine = judge_pod(*pod, options);
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
