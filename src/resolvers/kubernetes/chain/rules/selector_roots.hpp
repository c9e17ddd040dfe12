// The objects that a selector of pods names by its labels: they make the pods, and are there before the first of them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {

/// Without their uids: `job-name=trainer` names Job trainer. Empty: the selector names none [facts: k8s-job-labels].
std::vector<KubeObject> roots_of_selector(std::string_view selector, std::string_view namespace_name);

}  // namespace rollcall
