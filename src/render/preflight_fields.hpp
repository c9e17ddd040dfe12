// The verdict of a preflight as JSON: the tables by which it is written, and read by the members to which it is sent. `passed` and
// `authenticated` are only written: a member takes them from those who sent it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "json/json_fields.hpp"
#include "json/json_values.hpp"
#include "rollcall/preflight_verdict.hpp"

namespace rollcall {

using SeverityWord = WordOf<FindingSeverity, 2, "severity of a finding">;
using ScopeWord = WordOf<FindingScope, 5, "scope of a finding">;
using ActionWord = WordOf<FindingAction, 13, "action of a finding">;
using FindingLine = PrintableText<4096>;
using FindingText = OptionalText<4096>;
using CountOfMembers = NumberUpTo<(1 << 20), "no number of members">;
using CountOfPairs = NumberUpTo<(std::int64_t{1} << 40), "no number of pairs">;

/// Left out where there is none.
class TaskIndexOrNone : public NumberUpTo<std::numeric_limits<int>::max(), "no index of a task"> {
 public:
  static bool write(std::string& out, int index) { return index >= 0 && append_json_number(out, index); }
};
inline void write_passed(std::string& out, const PreflightVerdict& verdict) { out += verdict.passed ? "true" : "false"; }
inline void write_authenticated(std::string& out, const PreflightVerdict& verdict) { out += verdict.authenticated ? "true" : "false"; }

// clang-format off
inline constexpr auto finding_member_fields = json_object<FindingMember>(
    json_field<&FindingMember::job, OptionalText<256>>("job"),
    json_field<&FindingMember::index, TaskIndexOrNone>("index"),
    json_field<&FindingMember::name, OptionalText<256>>("name"),
    json_field<&FindingMember::address, OptionalText<256>>("address"));
inline constexpr auto finding_fields = json_object<Finding>(
    required(json_field<&Finding::severity, SeverityWord>("severity")),
    required(json_field<&Finding::scope, ScopeWord>("scope")),
    required(json_field<&Finding::check, FindingLine>("check")),
    array_field<&Finding::members, finding_member_fields>("members"),
    json_field<&Finding::device, FindingText>("device"),
    json_field<&Finding::direction, FindingText>("direction"),
    json_field<&Finding::measured, FindingText>("measured"),
    json_field<&Finding::expected, FindingText>("expected"),
    json_field<&Finding::others, FindingText>("others"),
    json_field<&Finding::action, ActionWord>("action"),
    required(json_field<&Finding::text, FindingLine>("text")),
    json_field<&Finding::hint, FindingText>("hint"));
inline constexpr auto preflight_unknown_fields = json_object<PreflightUnknown>(
    required(json_field<&PreflightUnknown::check, FindingLine>("check")),
    array_field<&PreflightUnknown::members, finding_member_fields>("members"),
    json_field<&PreflightUnknown::why, FindingLine>("why"));
inline constexpr auto preflight_verdict_fields = json_object<PreflightVerdict>(
    written_field<&write_passed>("passed"),
    json_field<&PreflightVerdict::run, OptionalText<256>>("run"),
    json_field<&PreflightVerdict::members, CountOfMembers>("members"),
    json_field<&PreflightVerdict::present, CountOfMembers>("present"),
    json_field<&PreflightVerdict::pairs_tested, CountOfPairs>("pairs_tested"),
    json_field<&PreflightVerdict::pairs_expected, CountOfPairs>("pairs_expected"),
    json_field<&PreflightVerdict::judged_by, OptionalText<256>>("judged_by"),
    written_field<&write_authenticated>("authenticated"),
    json_field<&PreflightVerdict::took, AgeMilliseconds>("took_ms"),
    array_field<&PreflightVerdict::findings, finding_fields>("findings"),
    json_field<&PreflightVerdict::findings_left_out, CountOfPairs>("findings_left_out"),
    array_field<&PreflightVerdict::unknown, preflight_unknown_fields>("unknown"));
// clang-format on

}  // namespace rollcall
