// A `slurm:job` target, as doctor() looks at it.
#pragma once

#include <memory>
#include <optional>

#include "rollcall/doctor_subject.hpp"
#include "rollcall/slurm_job_resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

/// The options of a target that names a job. Errors: invalid_argument.
Result<SlurmJobOptions> slurm_job_options(const Target& target);

/// What is wrong with the way to ask; none: nothing.
std::optional<Failure> slurm_access_fault(const SlurmJobOptions& options);

/// Null for the step that this process belongs to: it is in variables. Errors: invalid_argument.
Result<std::shared_ptr<const DoctorSubject>> doctor_slurm(const Runtime& runtime, const Target& target);

}  // namespace rollcall
