// What `rollcall doctor` prints: a line for each check, or one JSON document. Pure.
#pragma once

#include <string>

#include "rollcall/doctor.hpp"

namespace rollcall::tools {

/// A line for each check, what to do below it where that helps, and a closing line that counts.
std::string doctor_text(const DoctorReport& report, bool with_colour);

/// `{"healthy":true,"checks":[{"name":…,"outcome":…,"found":…,"hint":…,"took_ms":…},…]}` and a line end. Documented in docs/command.md and
/// stable.
std::string doctor_json(const DoctorReport& report);

}  // namespace rollcall::tools
