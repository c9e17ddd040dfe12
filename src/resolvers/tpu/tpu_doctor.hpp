// TargetScheme::doctor of `tpu:`.
#pragma once

#include <memory>

#include "rollcall/doctor_subject.hpp"
#include "rollcall/target.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

/// Null: the target's TPU is no name of the API. Errors: invalid_argument.
Result<std::shared_ptr<const DoctorSubject>> doctor_tpu(const Runtime& runtime, const Target& target);

/// The Cloud TPU API at the place of the options.
std::shared_ptr<const DoctorSubject> doctor_tpu_api(TpuOptions options);

}  // namespace rollcall
