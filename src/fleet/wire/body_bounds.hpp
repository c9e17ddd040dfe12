// How large a service's documents may be: the same bounds for the service and its clients. Pure.
#pragma once

#include <cstddef>

#include "rollcall/cluster_status.hpp"

namespace rollcall::fleet {

/// Of a body. It has room for as many members as a cluster may have (Limits::max_endpoints), each with names and an address of full length
/// and with the texts that bound_texts() leaves.
inline constexpr std::size_t max_body_bytes = std::size_t{65536} * 1536;

/// Cuts long texts of members and notices: to 512 bytes each, or to less if there are many members, so that all of them together stay
/// within 16 MiB. Clients that ask the cloud themselves get the whole texts.
void bound_texts(ClusterStatus& status);

}  // namespace rollcall::fleet
