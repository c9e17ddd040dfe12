// What a connection that was not made says of the host.
#pragma once

#include "rollcall/error.hpp"

namespace rollcall {

/// True if the host answered that nothing listens at that port: packets arrive there and return.
bool has_host_refused(const Failure& failure);

}  // namespace rollcall
