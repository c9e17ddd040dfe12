// A cluster as JSON, the way TF_CONFIG's "cluster" and `simple:` write it.
#pragma once

#include <boost/json/value.hpp>

#include "rollcall/cluster_spec.hpp"

namespace rollcall {

/// An object job → list of addresses, or job → object with decimal keys (converted as Python's int() does). Errors:
/// invalid_argument naming job and key; limit_exceeded over 4,096 jobs.
Result<ClusterSpec> cluster_from_json(const boost::json::value& value);

}  // namespace rollcall
