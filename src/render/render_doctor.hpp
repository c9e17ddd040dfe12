// The checks and their results, for programs; pure. The form is documented in docs/command.md and stable.
#pragma once

#include <string>

#include "rollcall/doctor_report.hpp"

namespace rollcall {

/// `{"healthy":true,"checks":[{"name":…,"outcome":…,"found":…,"hint":…,"took_ms":…},…]}`, without a line end.
std::string render_doctor_json(const DoctorReport& report);

}  // namespace rollcall
