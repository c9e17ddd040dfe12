// Which pod this process runs in: a wait in it for its own readiness never ends.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/environment.hpp"

namespace rollcall {

/// `train/trainer-0`, as members of Kubernetes are named; `/trainer-0` when the namespace cannot be read; empty outside of pods.
/// [facts: k8s-own-pod]
std::string own_pod(const Environment& environment, const Files& files);

/// Whether the member of that name is this pod.
bool is_own_pod(std::string_view member_name, std::string_view own) noexcept;

}  // namespace rollcall
