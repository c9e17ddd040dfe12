// What `rollcall doctor` prints for people. Pure.
#pragma once

#include <string>

#include "rollcall/doctor_report.hpp"

namespace rollcall::tools {

/// A line for each check, what to do below it where that helps, and a closing line that counts.
std::string doctor_text(const DoctorReport& report, bool with_colour);

}  // namespace rollcall::tools
