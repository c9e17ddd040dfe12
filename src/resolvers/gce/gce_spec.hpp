// From a group's instances to addresses. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolvers/gce/gce_api.hpp"

namespace rollcall {

/// `ip:port` of each, in options.order(). Errors: malformed_response (a running instance without the interface or the address),
/// not_ready (one that is not running any more, without address), not_found (no such named port, no such interface).
Result<std::vector<std::string>> gce_addresses(const GcePlan& plan, const GceOptions& options, std::vector<GceInstance> instances);

}  // namespace rollcall
