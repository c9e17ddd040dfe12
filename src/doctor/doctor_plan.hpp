// What doctor() looks at: the service behind the target, and what the options say of project and zone.
#pragma once

#include <memory>

#include "google/cloud_place.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/doctor.hpp"
#include "rollcall/doctor_subject.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

class DoctorPlan {
 public:
  DoctorPlan() {}
  DoctorOptions options;
  std::shared_ptr<const DoctorSubject> subject;  ///< null: the target asks no service that doctor() knows
  std::shared_ptr<ClusterResolver> resolver;  ///< null: no target
  std::shared_ptr<AutoResolver> surroundings;  ///< null: there is a target
  PlaceValue project;                         ///< empty: to be found
  PlaceValue zone;

  /// Null: Google's credentials, project and zone do not matter.
  const GoogleSubject* google() const noexcept { return subject ? subject->google() : nullptr; }
};

/// Errors: invalid_argument.
Result<DoctorPlan> plan_doctor(const Runtime& runtime, DoctorOptions options);

}  // namespace rollcall
