// Which pods have ended and have been replaced by their controller: they exist only for their logs. Pure.
#pragma once

#include "resolvers/kubernetes/rules/found_pod.hpp"

namespace rollcall {

/// Passes over a pod that has ended while another pod is in its place: one with the same number in the workload; or, where pods have no
/// number, one that its controller made after the end [facts: k8s-replaced-pods]. The others keep their order.
void drop_replaced(PodPointers& pods);

}  // namespace rollcall
