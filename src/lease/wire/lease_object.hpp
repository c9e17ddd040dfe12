// The record as a Lease of coordination.k8s.io/v1: what kubectl shows is where Kubernetes' own leases have it, the rest is in annotations.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "lease/wire/lease_record.hpp"

namespace rollcall::lease {

class LeaseObject {
 public:
  LeaseObject() {}
  LeaseRecord record;
  boost::json::object whole;  ///< with labels, owners and annotations of others, which are kept
};

/// Errors: malformed_response; failed_precondition: another program holds it.
Result<LeaseObject> parse_lease_object(std::string_view text, const ParseLimits& limits);

/// The object to write over `before`, or a new one if it is empty. `seen`: the record in `before`.
std::string render_lease_object(const boost::json::object& before, const LeaseRecord& seen, const LeaseRecord& next, std::string_view name,
                                std::string_view namespace_name, WallTime now);

}  // namespace rollcall::lease
