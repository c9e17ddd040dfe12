// The text form of `rollcall doctor`. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "rollcall/doctor_report.hpp"

namespace rollcall::command {

/// A line for each check, below it the remedy where there is one, and a closing line with counts. Findings and remedies are broken at
/// blanks into lines of at most `width` columns, in their own column.
std::string doctor_text(const DoctorReport& report, std::size_t width, bool with_colour);

}  // namespace rollcall::command
