// Jobs and accelerator counts from the nodes of a queued resource. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resolvers/queued/queued_api.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/queued_resource.hpp"
#include "rollcall/tpu_slices.hpp"

namespace rollcall {

/// `worker3`
std::string slice_job(std::string_view job, std::size_t slice);

/// Errors: not_ready naming every slice that is not READY, with its state; malformed_response (an endpoint without a port, two workers
/// with one address).
Result<ClusterSpec> spec_of_slices(std::string_view request, const std::vector<FoundSlice>& slices, const std::string& job, SliceJobs jobs);

/// TPU devices per host, by the nodes' accelerator types. Errors: failed_precondition if slices differ, and as accelerator_of().
Result<AcceleratorCounts> counts_of_slices(std::string_view request, const std::vector<FoundSlice>& slices);

/// The type of each slice, its workers, and its job in spec_of_slices(). Errors: as counts_of_slices(), and
/// malformed_response for an invalid endpoint.
Result<std::vector<TpuSlice>> types_of_slices(std::string_view request, const std::vector<FoundSlice>& slices, const std::string& job,
                                              SliceJobs jobs);

}  // namespace rollcall
