// Slices of TPUs: machines whose chips are connected by a direct network. Source: cloud.google.com/tpu/docs/system-architecture-tpu-vm.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

class ClusterResolver;

/// One slice: its hardware, and its number of machines.
class TpuSlice {
 public:
  TpuSlice() {}
  TpuSlice(std::string of_job, Result<AcceleratorType> of_type, int of_workers)
      : job(std::move(of_job)), type(std::move(of_type)), workers(of_workers) {}
  std::string job;  ///< the job of the cluster that its workers belong to; several slices may be one job, in sequence
  Result<AcceleratorType> type = Failure();  ///< a failure: the service's text is not understood (not_found, malformed_response)
  int workers = 0;
};

/// Interface of a resolver that knows the slices of its workers: that of a TPU, with one slice, and that of a queued resource, with one
/// slice for each node. slices_of() finds it.
class TpuSlicesResolver {
 public:
  TpuSlicesResolver() {}
  TpuSlicesResolver(const TpuSlicesResolver&) = delete;
  TpuSlicesResolver& operator=(const TpuSlicesResolver&) = delete;
  virtual ~TpuSlicesResolver() = default;
  /// In the order of its cluster's workers. May suspend; cancellable; bounded by CallOptions::timeout. Errors: those of the resolver's
  /// cluster_spec(); failed_precondition where the API is not used (local, a list of workers). The twin throws
  /// ResolveError.
  virtual asio::awaitable<Result<std::vector<TpuSlice>>> try_slices(CallOptions options = {}) = 0;
  asio::awaitable<std::vector<TpuSlice>> slices(CallOptions options = {});
};

/// The slices of the resolver; null: it has none.
TpuSlicesResolver* slices_of(ClusterResolver& resolver) noexcept;

}  // namespace rollcall
