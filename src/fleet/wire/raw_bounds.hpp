// How large what the service tells may be: one bound for the service and for its clients. Pure.
#pragma once

#include <cstddef>

#include "rollcall/cluster_status.hpp"

namespace rollcall::fleet {

/// Of a body. As many members as a cluster may have (Limits::max_endpoints), each with names and an address of full length and with the
/// texts that bound_texts() leaves.
inline constexpr std::size_t max_body_bytes = std::size_t{65536} * 1536;

/// Cuts what a cloud says of members and in notices where it is long: to 512 bytes each, of many members to less, so that all of them
/// together stay within 16 MiB. Who asks the cloud itself gets all of it.
void bound_texts(ClusterStatus& status);

}  // namespace rollcall::fleet
