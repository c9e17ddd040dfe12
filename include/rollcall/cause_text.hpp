// Causes in words: for lists of members, for the progress of a wait, for `rollcall why`. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// `FailedMount: secret "wandb" not found`; with the object that says so, unless that is the member's own pod.
std::string cause_text(const Cause& cause);
/// The outermost two of a chain: `cause, cause`; each at most some 200 bytes. Empty: there are none.
std::string causes_text(const std::vector<Cause>& chain);

/// The chain of a member: what holds up all of the cluster, then its own causes.
std::vector<Cause> chain_of(const ClusterStatus& status, const Member& member);
/// The chain of the members that do not exist yet: all causes of the cluster.
const std::vector<Cause>& chain_of_absent(const ClusterStatus& status) noexcept;

/// What would mend it, for a user; empty: nothing in general.
std::string_view remedy_of(const Cause& cause) noexcept;

}  // namespace rollcall
