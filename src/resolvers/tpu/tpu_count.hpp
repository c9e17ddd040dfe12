// The accelerators of a TPU, from its runtime, or from its type if no runtime listens.
#pragma once

#include <string>

#include "resolvers/tpu/tpu_api.hpp"
#include "rollcall/call.hpp"
#include "rollcall/tpu_metadata.hpp"

namespace rollcall {

// TpuCallOptions::count_from decides. `automatic`: a node of API v2 is a TPU VM, on which no TensorFlow runtime listens, so its type
// counts if the table contains it. For other nodes the devices are listed; if no runtime listens, the type counts.

/// TPU cores per host [facts: tpu-count]. Errors: those of ask_tpu() and ask_devices(); failed_precondition (uneven hosts);
/// unimplemented (`local`).
asio::awaitable<Result<AcceleratorCounts>> count_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job);

/// The whole TPU [facts: tpu-system-metadata]. `waits`: waits for a node that is not READY yet and for workers that do not answer yet.
asio::awaitable<Result<TpuSystemMetadata>> describe_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job,
                                                        bool waits);

}  // namespace rollcall
