// What was found out about a host, as JSON: the tables by which it is written, and read by the members to which it is sent. Accelerators
// are only written.
#pragma once

#include <string>

#include "render/preflight_fields.hpp"
#include "rollcall/host_report.hpp"

namespace rollcall {

void write_accelerators(std::string& out, const HostReport& report);
void write_gpus(std::string& out, const HostReport& report);

// clang-format off
inline constexpr auto host_fact_fields = json_object<HostFact>(
    required(json_field<&HostFact::check, FindingLine>("check")),
    required(json_field<&HostFact::name, FindingLine>("name")),
    required(json_field<&HostFact::value, FindingLine>("value")));
/// Without findings, which a verdict has.
inline constexpr auto host_facts_fields = json_object<HostReport>(
    json_field<&HostReport::host, OptionalText<256>>("host"),
    json_field<&HostReport::boot_id, OptionalText<64>>("boot_id"),
    array_field<&HostReport::facts, host_fact_fields>("facts"),
    written_field<&write_accelerators>("accelerators"),
    written_field<&write_gpus>("gpus"));
/// All of it: what a member sends to the one that judges.
inline constexpr auto host_report_fields = json_object<HostReport>(
    host_facts_fields,
    array_field<&HostReport::findings, finding_fields>("findings"),
    array_field<&HostReport::unknown, preflight_unknown_fields>("unknown"));
// clang-format on

}  // namespace rollcall
