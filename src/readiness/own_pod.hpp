// The pod of this process: if it waits for its own readiness, the wait never ends.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/environment.hpp"

namespace rollcall {

/// `train/trainer-0`, as Kubernetes members are named; `/trainer-0` if the namespace cannot be read; empty outside of pods.
/// [facts: k8s-own-pod]
std::string own_pod(const Environment& environment, const Files& files);

/// True if the member of that name is this pod.
bool is_own_pod(std::string_view member_name, std::string_view own) noexcept;

}  // namespace rollcall
