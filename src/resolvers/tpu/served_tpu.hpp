// TargetScheme::make_served of `tpu:`.
#pragma once

#include <memory>

#include "rollcall/resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

class RemoteServers;

/// A resolver that asks `servers` for the cluster. `local` is that of a TPU or of a queued resource.
std::shared_ptr<ClusterResolver> make_served_tpu(std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local,
                                                 Target target);

}  // namespace rollcall
