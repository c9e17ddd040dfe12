// The status of all jobs' pods: asked for once, or followed.
#pragma once

#include "resolvers/kubernetes/kubernetes_pods.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class ExpectedPods;

/// The current status of the pods. All references must outlive the await.
asio::awaitable<Result<ClusterStatus>> ask_pods(Call& call, const PodScope& scope, ExpectedPods& expected);

/// Reports the status, and every change within 40 ms (of more than 10,000 pods within 1 ms for 250 of them, up to a second), until a
/// failure that a repeated request cannot cure. Uses one list and one watch for each selector. Workloads are read again every 2 to 30 s,
/// when pods change, and before a status is reported in which nothing is missing. All references must outlive the await.
asio::awaitable<Result<void>> follow_pods(Call& call, const PodScope& scope, ExpectedPods& expected, StatusObserver& observer);

}  // namespace rollcall
