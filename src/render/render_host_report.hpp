// The checks of a host as text or JSON.
#pragma once

#include <chrono>
#include <string>

#include "rollcall/host_report.hpp"

namespace rollcall {

/// The verdict on this host alone, then its accelerators and facts, a line each.
std::string render_host_preflight_text(const HostReport& report, std::chrono::milliseconds took);
/// The verdict as one document on one line, with the member `host`; docs/output.schema.json describes it.
std::string render_host_preflight_json(const HostReport& report, std::chrono::milliseconds took);
/// Facts, findings and accelerators, on one line without its end.
std::string render_host_report_json(const HostReport& report);

}  // namespace rollcall
