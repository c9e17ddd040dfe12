// TargetScheme::doctor of `gce:`.
#pragma once

#include <memory>

#include "rollcall/doctor_subject.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

/// Errors: invalid_argument.
Result<std::shared_ptr<const DoctorSubject>> doctor_gce(const Runtime& runtime, const Target& target);

}  // namespace rollcall
