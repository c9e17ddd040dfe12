// The status of a cluster, of the pods of all its selectors.
#pragma once

#include <asio/awaitable.hpp>
#include <vector>

#include "resolvers/kubernetes/expected_pods.hpp"
#include "resolvers/kubernetes/rules/pod_status.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// `pods` are those that `expected` has taken: a list for each selector, in the order of its jobs. `firsts` has one element for each and is
/// kept between calls. Suspends for other work of the loop. All references must outlive the await.
asio::awaitable<ClusterStatus> status_of_pods(const ExpectedPods& expected, std::vector<PodPointers> pods, const KubernetesOptions& options,
                                              std::vector<FirstOrdinal>& firsts, PodClock& clock);

}  // namespace rollcall
