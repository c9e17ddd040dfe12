// Failures as doctor() reports them. Pure.
#pragma once

#include <string>

#include "rollcall/doctor_report.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The failure as a check that failed.
DoctorCheck failed_check(std::string name, const Failure& failure);
/// `name` was not checked, because of `why`.
DoctorCheck skipped_check(std::string name, std::string why, std::string hint = {});

}  // namespace rollcall
