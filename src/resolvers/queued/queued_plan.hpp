// Which queued resource is meant. Pure.
#pragma once

#include "rollcall/queued_resource.hpp"
#include "rollcall/surroundings.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

class QueuedPlan {
 public:
  QueuedPlan() {}
  std::string name;     ///< the request's id
  std::string project;  ///< empty: ask the metadata server
  std::string zone;
  TpuOptions api;  ///< where the API is, and its version
};

/// Project: options, the full resource name, then as for TPUs. Errors: invalid_argument (no name, a bad one, api v1).
Result<QueuedPlan> plan_queued(const QueuedResourceOptions& options, const Environment& environment);

}  // namespace rollcall
