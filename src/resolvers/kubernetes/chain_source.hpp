// What a chain of causes is asked of, for pods: the server, what makes them, and the stages that come before them.
#pragma once

#include <optional>

#include "resolvers/kubernetes/chain/chain_request.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"

namespace rollcall {

/// `jobs`: of a target by labels; `named`: of one that names its workload. `scope` and `expected` must outlive it.
ChainSource chain_source(const PodScope& scope, const ExpectedPods& expected, const KubernetesOptions::LabelMapping& jobs,
                         const std::optional<NamedWorkload>& named);

}  // namespace rollcall
