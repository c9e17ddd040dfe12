// A cluster's status, whole and as what differs, read.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/order.hpp"
#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"

namespace rollcall::fleet {
namespace {

using GonePlace = std::pair<std::string, int>;

class RawStatus {
 public:
  std::optional<Position> position;
  std::optional<std::uint64_t> generation;
  Age age;
  std::optional<ClusterPhase> phase;
  Condition state;
  std::vector<std::string> jobs;
  int expected = 0;
  std::string accelerator_type;
  std::vector<Member> members;
  std::vector<GonePlace> gone;
  std::vector<Notice> notices;
};

std::string set_level(MemberState& level, std::string_view word) {
  const auto known = value_named<MemberState>(word, 0, 5);
  if (!known) return fmt::format("is {}, no state of a member", quoted(word, 64));
  level = *known;
  return {};
}
std::string set_task_index(int& slot, std::int64_t index) {
  if (index < 0 || index > std::numeric_limits<int>::max()) return fmt::format("is {}, no index", index);
  slot = static_cast<int>(index);
  return {};
}
std::string set_job_name(std::string& slot, std::string_view name) {
  slot = name;
  return job_name_fault(name);
}
std::string set_member_job(Member& member, std::string_view name) { return set_job_name(member.job, name); }
std::string set_member_index(Member& member, std::int64_t index) { return set_task_index(member.index, index); }
std::string set_member_name(Member& member, std::string_view name) {
  member.name = printable_line(name);
  return {};
}
std::string set_member_uid(Member& member, std::string_view uid) {
  member.uid = printable_line(uid);
  return {};
}
std::string set_member_address(Member& member, std::string_view address) {
  member.address = address;
  return address.empty() || is_member_address(address) ? std::string() : "is " + not_an_address(address);
}
std::string set_member_state(Member& member, std::string_view word) { return set_level(member.state.level, word); }
std::string set_member_state_text(Member& member, std::string_view words) {
  member.state.text = printable_line(words);
  return {};
}
std::string set_member_health(Member& member, std::string_view word) { return set_level(member.health.level, word); }
std::string set_member_health_text(Member& member, std::string_view words) {
  member.health.text = printable_line(words);
  return {};
}
std::string check_raw_member(Member& member) { return member.job.empty() ? "has no job" : std::string(); }

std::string set_condition_level(Condition& condition, std::string_view word) { return set_level(condition.level, word); }
std::string set_condition_text(Condition& condition, std::string_view words) {
  condition.text = printable_line(words);
  return {};
}
std::string set_gone_job(GonePlace& gone, std::string_view name) { return set_job_name(gone.first, name); }
std::string set_gone_index(GonePlace& gone, std::int64_t index) { return set_task_index(gone.second, index); }
std::string check_gone_place(GonePlace& gone) { return gone.first.empty() ? "has no job" : std::string(); }
std::string set_notice_kind(Notice& notice, std::string_view word) {
  const auto kind = value_named<NoticeKind>(word, 0, 2);
  if (!kind) return fmt::format("is {}, no kind of notice", quoted(word, 64));
  notice.kind = *kind;
  return {};
}
std::string set_notice_subject(Notice& notice, std::string_view text) {
  notice.subject = printable_line(text);
  return {};
}
std::string set_notice_text(Notice& notice, std::string_view text) {
  notice.text = printable_line(text);
  return {};
}

std::string set_status_position(RawStatus& raw, std::string_view text) { return set_raw_position(raw.position, text); }
std::string set_status_generation(RawStatus& raw, std::int64_t number) { return set_raw_generation(raw.generation, number); }
std::string set_status_age(RawStatus& raw, std::int64_t milliseconds) { return set_raw_age(raw.age, milliseconds); }
std::string set_phase(RawStatus& raw, std::string_view word) {
  raw.phase = value_named<ClusterPhase>(word, 0, 3);
  return raw.phase ? std::string() : fmt::format("is {}, no phase of a cluster", quoted(word, 64));
}
std::string set_expected(RawStatus& raw, std::int64_t number) {
  if (number < 0 || number > std::numeric_limits<int>::max()) return fmt::format("is {}, no number of members", number);
  raw.expected = static_cast<int>(number);
  return {};
}
std::string set_accelerator_type(RawStatus& raw, std::string_view text) {
  raw.accelerator_type = printable(text, 64);
  return {};
}
// clang-format off
constexpr auto raw_member_fields = json_object<Member, check_raw_member>(
    text_field<set_member_job>("job"),
    integer_field<set_member_index>("index"),
    text_field<set_member_name>("name"),
    text_field<set_member_uid>("uid"),
    text_field<set_member_address>("address"),
    text_field<set_member_state>("state"),
    text_field<set_member_state_text>("state_text"),
    text_field<set_member_health>("health"),
    text_field<set_member_health_text>("health_text"));
constexpr auto raw_condition_fields = json_object<Condition>(
    text_field<set_condition_level>("level"),
    text_field<set_condition_text>("text"));
constexpr auto raw_gone_fields = json_object<GonePlace, check_gone_place>(
    text_field<set_gone_job>("job"),
    integer_field<set_gone_index>("index"));
constexpr auto raw_notice_fields = json_object<Notice>(
    text_field<set_notice_kind>("kind"),
    text_field<set_notice_subject>("subject"),
    text_field<set_notice_text>("text"));
constexpr auto raw_status_fields = json_object<RawStatus>(
    text_field<set_phase>("phase"),
    object_field<&RawStatus::state, raw_condition_fields>("state"),
    text_array<&RawStatus::jobs>("jobs"),
    integer_field<set_expected>("expected"),
    text_field<set_accelerator_type>("accelerator_type"),
    array_field<&RawStatus::members, raw_member_fields>("members"),
    array_field<&RawStatus::notices, raw_notice_fields>("notices"));
constexpr auto status_body_fields = json_object<RawStatus>(
    text_field<set_status_position>("position"),
    integer_field<set_status_generation>("generation"),
    inner_field<raw_status_fields>("status"),
    integer_field<set_status_age>("age_ms"));
constexpr auto members_event_fields = json_object<RawStatus>(
    integer_field<set_status_generation>("generation"),
    text_field<set_phase>("phase"),
    object_field<&RawStatus::state, raw_condition_fields>("state"),
    text_array<&RawStatus::jobs>("jobs"),
    integer_field<set_expected>("expected"),
    array_field<&RawStatus::members, raw_member_fields>("changed"),
    array_field<&RawStatus::gone, raw_gone_fields>("gone"),
    array_field<&RawStatus::notices, raw_notice_fields>("notices"),
    integer_field<set_status_age>("age_ms"));
// clang-format on

constexpr JsonForm<RawStatus> status_body_form = json_form<status_body_fields>("the service's status");
constexpr JsonForm<RawStatus> members_event_form = json_form<members_event_fields>("the service's event members");
// What only the whole shows: jobs twice, or a member.
Result<void> check_jobs(const JsonForm<RawStatus>& form, const std::vector<std::string>& jobs) {
  std::set<std::string_view> names;
  for (const std::string& job : jobs) {
    if (const std::string fault = job_name_fault(job); !fault.empty()) return malformed_document(form.name, "jobs: one " + fault);
    if (!names.insert(job).second) return malformed_document(form.name, fmt::format("jobs: {} is there twice", quoted(job, 64)));
  }
  return {};
}

// Brings the members into order: job by job as `jobs` has them, those that are not in it as they come, indices ascending.
Result<void> settle_members(const JsonForm<RawStatus>& form, const std::vector<std::string>& jobs, std::vector<Member>& members) {
  std::map<std::string, std::size_t, std::less<>> numbers;
  for (const std::string& job : jobs) numbers.try_emplace(job, numbers.size());
  for (const Member& member : members) {
    if (!numbers.contains(member.job)) numbers.emplace(member.job, numbers.size());
  }
  const auto is_before = [&numbers](const Member& a, const Member& b) {
    if (a.job == b.job) return a.index < b.index;
    return numbers.find(a.job)->second < numbers.find(b.job)->second;
  };
  if (!std::is_sorted(members.begin(), members.end(), is_before)) sort_stably(members, is_before);
  const auto is_same = [](const Member& a, const Member& b) { return a.job == b.job && a.index == b.index; };
  const auto twice = std::adjacent_find(members.begin(), members.end(), is_same);
  if (twice == members.end()) return {};
  return malformed_document(form.name, fmt::format("{} is there twice", Member(twice->job, twice->index).label()));
}

Result<RawStatus> read_raw(const JsonForm<RawStatus>& form, std::string_view json, const ParseLimits& limits) {
  Result<RawStatus> raw = read_json(form, json, limits);
  if (!raw) return raw;
  Result<void> fine = check_jobs(form, raw->jobs);
  if (fine) fine = settle_members(form, raw->jobs, raw->members);
  if (!fine) return fine.error();
  return raw;
}

// A document has these, whatever else it has.
Result<RawStatus> read_raw(const JsonForm<RawStatus>& form, std::string_view json, const ParseLimits& limits,
                           std::initializer_list<std::pair<bool (*)(const RawStatus&), std::string_view>> needed) {
  Result<RawStatus> raw = read_raw(form, json, limits);
  if (!raw) return raw;
  for (const auto& [has, name] : needed) {
    if (!has(*raw)) return malformed_document(form.name, fmt::format("{} is missing", name));
  }
  return raw;
}
bool has_position(const RawStatus& raw) { return raw.position.has_value(); }
bool has_generation(const RawStatus& raw) { return raw.generation.has_value(); }
bool has_age(const RawStatus& raw) { return raw.age.has_value(); }
bool has_phase(const RawStatus& raw) { return raw.phase.has_value(); }
}  // namespace

Result<StatusDocument> parse_status_body(std::string_view json, const ParseLimits& limits) {
  Result<RawStatus> raw =
      read_raw(status_body_form, json, limits, {{has_position, "position"}, {has_generation, "generation"}, {has_phase, "status.phase"}});
  if (!raw) return raw.error();
  StatusDocument document;
  document.position = std::move(*raw->position);
  document.generation = *raw->generation;
  document.age = raw->age;
  document.status.phase = *raw->phase;
  document.status.state = std::move(raw->state);
  document.status.jobs = std::move(raw->jobs);
  document.status.expected = raw->expected;
  document.status.accelerator_type = std::move(raw->accelerator_type);
  document.status.members = std::move(raw->members);
  document.status.notices = std::move(raw->notices);
  return document;
}

Result<MembersDocument> parse_members_event(std::string_view json, const ParseLimits& limits) {
  Result<RawStatus> raw =
      read_raw(members_event_form, json, limits, {{has_generation, "generation"}, {has_phase, "phase"}, {has_age, "age_ms"}});
  if (!raw) return raw.error();
  std::set<GonePlace> places;
  for (const Member& member : raw->members) places.emplace(member.job, member.index);
  for (const GonePlace& gone : raw->gone) {
    if (!places.insert(gone).second)
      return malformed_document(members_event_form.name, fmt::format("{} is there twice", Member(gone.first, gone.second).label()));
  }
  MembersDocument document;
  document.generation = *raw->generation;
  document.age = *raw->age;
  document.delta.phase = *raw->phase;
  document.delta.state = std::move(raw->state);
  document.delta.jobs = std::move(raw->jobs);
  document.delta.expected = raw->expected;
  document.delta.notices = std::move(raw->notices);
  document.delta.changed = std::move(raw->members);
  document.delta.gone = std::move(raw->gone);
  return document;
}

}  // namespace rollcall::fleet
