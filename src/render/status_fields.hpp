// A cluster's status as JSON: the tables by which it is written, and read by a service's client.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/timestamp.hpp"
#include "cluster/service_address.hpp"
#include "json/json_fields.hpp"
#include "json/json_values.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

using StateWord = WordOf<MemberState, 5, "state of a member">;
using PhaseWord = WordOf<ClusterPhase, 3, "phase of a cluster">;
using CauseWord = WordOf<CauseLayer, 14, "layer of a cause">;
using NoticeWord = WordOf<NoticeKind, 2, "kind of notice">;
template <JsonNoun fault>
using IntUpToMax = NumberUpTo<std::numeric_limits<int>::max(), fault>;
using TaskIndex = IntUpToMax<"no index">;
using AcceleratorNumber = IntUpToMax<"no number of accelerators">;
using PartNumber = IntUpToMax<"no number of a part">;
using ExpectedMembers = IntUpToMax<"no number of members">;

/// A job's name. It is read unchanged or refused: a changed name would be that of another job.
class JobName : public JsonText {
 public:
  static std::string read(std::string& slot, std::string_view name) {
    slot = name;
    return job_name_fault(name);
  }
};
/// Accelerators::is_shared: `machine` or `member`.
class AcceleratorsOf : public JsonText {
 public:
  static std::string read(bool& is_shared, std::string_view word) {
    is_shared = word == "machine";
    return is_shared || word == "member" ? std::string() : fmt::format("is {}, neither machine nor member", quoted(word, 64));
  }
  static bool write(std::string& out, bool is_shared) { return JsonText::write(out, is_shared ? "machine" : "member"); }
};
/// Cause::is_final: `final`; left out where it is not.
class CauseOutlook : public JsonText {
 public:
  static std::string read(bool& is_final, std::string_view word) {
    is_final = word == "final";
    return is_final ? std::string() : fmt::format("is {}, not final", quoted(word, 64));
  }
  static bool write(std::string& out, bool is_final) { return is_final && JsonText::write(out, "final"); }
};
/// A time by its second; left out where there is none.
class OptionalTime : public JsonText {
 public:
  static std::string read(std::optional<WallTime>& slot, std::string_view text) {
    slot = parse_rfc3339(text);
    return slot ? std::string() : fmt::format("is {}, no time", quoted(text, 64));
  }
  static bool write(std::string& out, const std::optional<WallTime>& time) {
    return time && JsonText::write(out, format_rfc3339(std::chrono::floor<std::chrono::seconds>(*time)));
  }
};
/// A member's address; may be empty.
class MemberAddress : public JsonText {
 public:
  static std::string read(std::string& slot, std::string_view address) {
    slot = address;
    return address.empty() || is_member_address(address) ? std::string() : "is " + not_an_address(address);
  }
};

namespace status_detail {

inline std::string check_member(Member& member) { return member.job.empty() ? "has no job" : std::string(); }
void write_worst_health(std::string& out, const ClusterStatus& status);
inline void write_spec(std::string& out, const ClusterStatus& status) { out += status.spec().to_json(); }

}  // namespace status_detail

// clang-format off
inline constexpr auto condition_fields = json_object<Condition>(
    json_field<&Condition::level, StateWord>("level"),
    json_field<&Condition::text, LineText>("text"));
inline constexpr auto accelerators_fields = json_object<Accelerators>(
    json_field<&Accelerators::kind, LineText>("kind"),
    json_field<&Accelerators::model, OptionalText<64>>("model"),
    json_field<&Accelerators::count, AcceleratorNumber>("count"),
    json_field<&Accelerators::is_shared, AcceleratorsOf>("of"),
    json_field<&Accelerators::source, LineText>("source"));
inline constexpr auto part_fields = json_object<MemberPart>(
    json_field<&MemberPart::kind, LineText>("kind"),
    json_field<&MemberPart::index, PartNumber>("index"),
    json_field<&MemberPart::count, PartNumber>("count"),
    json_field<&MemberPart::member, PartNumber>("member"),
    json_field<&MemberPart::members, PartNumber>("members"),
    json_field<&MemberPart::name, OptionalText<300>>("name"));
inline constexpr auto cause_fields = json_object<Cause>(
    json_field<&Cause::layer, CauseWord>("layer"),
    json_field<&Cause::code, LineText>("code"),
    json_field<&Cause::text, OptionalText<1024>>("text"),
    json_field<&Cause::object, OptionalText<300>>("object"),
    json_field<&Cause::since, OptionalTime>("since"),
    json_field<&Cause::is_final, CauseOutlook>("outlook"));
inline constexpr auto job_size_fields = json_object<JobSize>(
    json_field<&JobSize::job, JobName>("job"),
    json_field<&JobSize::members, ExpectedMembers>("members"));
inline constexpr auto member_fields = json_object<Member>(
    json_field<&Member::job, JobName>("job"),
    json_field<&Member::index, TaskIndex>("index"),
    json_field<&Member::name, LineText>("name"),
    json_field<&Member::address, MemberAddress>("address"),
    json_field<json_path<&Member::state, &Condition::level>, StateWord>("state"),
    json_field<json_path<&Member::state, &Condition::text>, LineText>("state_text"),
    json_field<json_path<&Member::health, &Condition::level>, StateWord>("health"),
    json_field<json_path<&Member::health, &Condition::text>, LineText>("health_text"),
    json_field<&Member::host, OptionalText<300>>("host"),
    optional_object<&Member::accelerators, accelerators_fields>("accelerators"),
    optional_object<&Member::part, part_fields>("part"),
    optional_array<&Member::causes, cause_fields>("causes"));
inline constexpr auto whole_member_fields = json_object<Member, status_detail::check_member>(
    member_fields,
    json_field<&Member::uid, LineText>("uid"));
inline constexpr auto notice_fields = json_object<Notice>(
    json_field<&Notice::kind, NoticeWord>("kind"),
    json_field<&Notice::subject, LineText>("subject"),
    json_field<&Notice::text, LineText>("text"));
inline constexpr auto status_head_fields = json_object<ClusterStatus>(
    required(json_field<&ClusterStatus::phase, PhaseWord>("phase")),
    object_field<&ClusterStatus::state, condition_fields>("state"),
    written_field<status_detail::write_worst_health>("health"),
    written_field<status_detail::write_spec>("cluster"),
    json_field<&ClusterStatus::expected, ExpectedMembers>("expected"),
    optional_array<&ClusterStatus::job_sizes, job_size_fields>("expected_by_job"),
    json_field<&ClusterStatus::expected_source, OptionalText<600>>("expected_source"),
    optional_array<&ClusterStatus::causes, cause_fields>("causes"));
inline constexpr auto status_notices_fields = json_object<ClusterStatus>(
    array_field<&ClusterStatus::notices, notice_fields>("notices"));
/// All of a status: what a service sends.
inline constexpr auto whole_status_fields = json_object<ClusterStatus>(
    status_head_fields,
    json_field<&ClusterStatus::accelerator_type, OptionalText<64>>("accelerator_type"),
    text_array<&ClusterStatus::jobs>("jobs"),
    array_field<&ClusterStatus::members, whole_member_fields>("members"),
    status_notices_fields);
/// What the command prints of a status: neither its jobs nor uids.
inline constexpr auto shown_status_fields = json_object<ClusterStatus>(
    status_head_fields,
    array_field<&ClusterStatus::members, member_fields>("members"),
    status_notices_fields);
// clang-format on

}  // namespace rollcall
