// What `rollcall doctor` prints for people. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "rollcall/doctor_report.hpp"

namespace rollcall::command {

/// A line for each check, what to do below it where that helps, and a closing line that counts. What was found and what to do are broken at
/// blanks into lines of at most `width` columns, in their own column.
std::string doctor_text(const DoctorReport& report, std::size_t width, bool with_colour);

}  // namespace rollcall::command
