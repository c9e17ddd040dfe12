// What doctor() looks at: the service behind the target, and what the options say of project and zone.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "google/cloud_place.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "rollcall/doctor.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

enum class DoctorService {
  none,  ///< the target asks no API that is known here
  tpu,
  compute,
  kubernetes,
};

class DoctorPlan {
 public:
  DoctorPlan() {}
  DoctorService service = DoctorService::tpu;
  DoctorOptions options;
  std::shared_ptr<ClusterResolver> resolver;  ///< null: no target
  PlaceValue project;                         ///< empty: to be found
  PlaceValue zone;
  bool is_regional = false;  ///< the target has a region: no zone is needed
  TpuOptions tpu;            ///< where the Cloud TPU API is
  ComputeRoot compute_root;
  KubernetesOptions kubernetes;

  /// Google's credentials, project and zone matter.
  bool uses_google() const noexcept { return service == DoctorService::tpu || service == DoctorService::compute; }
};

/// Errors: invalid_argument.
Result<DoctorPlan> plan_doctor(const Runtime& runtime, DoctorOptions options);

}  // namespace rollcall
