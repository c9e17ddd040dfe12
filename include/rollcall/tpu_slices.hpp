// Slices of TPUs: machines whose chips are wired to each other. Source: cloud.google.com/tpu/docs/system-architecture-tpu-vm.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

class ClusterResolver;

/// One slice: what it is made of, and how many machines it is.
class TpuSlice {
 public:
  TpuSlice() {}
  TpuSlice(std::string of_job, AcceleratorType of_type, int of_workers)
      : job(std::move(of_job)), type(std::move(of_type)), workers(of_workers) {}
  std::string job;  ///< of the cluster, that its workers are tasks of; several slices may be one job, one behind the other
  AcceleratorType type;
  int workers = 0;
};

/// A resolver that can say of which slices its workers are: that of a TPU, of one, and that of a queued resource, of as many as it has
/// nodes. A resolver derives from it besides ClusterResolver; slices_of() finds it.
class TpuSlicesResolver {
 public:
  TpuSlicesResolver() {}
  TpuSlicesResolver(const TpuSlicesResolver&) = delete;
  TpuSlicesResolver& operator=(const TpuSlicesResolver&) = delete;
  virtual ~TpuSlicesResolver() = default;
  /// In the order of its cluster's workers. May suspend; cancellable; bounded by CallOptions::timeout. Errors: those of the resolver's
  /// cluster_spec(); failed_precondition where the API is not asked (local, a list of workers); malformed_response or not_found when a
  /// type is not understood. The twin throws ResolveError.
  virtual asio::awaitable<Result<std::vector<TpuSlice>>> try_slices(CallOptions options = {}) = 0;
  asio::awaitable<std::vector<TpuSlice>> slices(CallOptions options = {});
};

/// The slices of the resolver; null: it has none.
TpuSlicesResolver* slices_of(ClusterResolver& resolver) noexcept;

}  // namespace rollcall
