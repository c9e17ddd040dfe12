// TargetScheme::doctor of `kubernetes:`.
#pragma once

#include <memory>

#include "rollcall/doctor_subject.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

/// Errors: invalid_argument.
Result<std::shared_ptr<const DoctorSubject>> doctor_kubernetes(const Runtime& runtime, const Target& target);

}  // namespace rollcall
