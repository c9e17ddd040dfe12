// The documents with a cluster's members: its status, and the difference between two statuses.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/order.hpp"
#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/raw_values.hpp"
#include "render/status_fields.hpp"

namespace rollcall::fleet {
namespace {

using GonePlace = std::pair<std::string, int>;

std::string twice_there(const std::string& job, int index) { return fmt::format("{} is there twice", Member(job, index).label()); }

// Complains if a job's name is wrong or is listed twice.
std::string check_jobs(const std::vector<std::string>& jobs) {
  std::set<std::string_view> names;
  for (const std::string& job : jobs) {
    if (const std::string fault = job_name_fault(job); !fault.empty()) return "jobs: one " + fault;
    if (!names.insert(job).second) return fmt::format("jobs: {} is there twice", quoted(job, 64));
  }
  return {};
}

// Sorts the members: in the order of `jobs`, then other jobs in the order of their first members, indices ascending. Complains of jobs and
// of a member that is listed twice.
std::string settle_members(const std::vector<std::string>& jobs, std::vector<Member>& members) {
  if (std::string complaint = check_jobs(jobs); !complaint.empty()) return complaint;
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
  return twice_there(twice->job, twice->index);
}

std::string check_gone_place(GonePlace& gone) { return gone.first.empty() ? "has no job" : std::string(); }
std::string settle_status(StatusDocument& document) { return settle_members(document.status.jobs, document.status.members); }
std::string settle_delta(MembersDocument& document) { return settle_members(document.delta.jobs, document.delta.changed); }

// A field of the delta that stands beside the fields of its document.
template <class Document, auto Field>
constexpr const auto& in_delta = json_path<&Document::delta, Field>;

// clang-format off
template <class Document>
constexpr auto status_body_fields = json_object<Document>(
    required(json_field<&Document::position, PositionText>("position")),
    required(json_field<&Document::generation, Generation>("generation")),
    merged_object<&Document::status, whole_status_fields>("status"),
    json_field<&Document::age, AgeMilliseconds>("age_ms"));
constexpr auto gone_fields = json_object<GonePlace, check_gone_place>(
    json_field<&GonePlace::first, JobName>("job"),
    json_field<&GonePlace::second, TaskIndex>("index"));
template <class Document>
constexpr auto members_event_fields = json_object<Document>(
    required(json_field<&Document::generation, Generation>("generation")),
    required(json_field<in_delta<Document, &StatusDelta::phase>, PhaseWord>("phase")),
    object_field<in_delta<Document, &StatusDelta::state>, condition_fields>("state"),
    text_array<in_delta<Document, &StatusDelta::jobs>>("jobs"),
    json_field<in_delta<Document, &StatusDelta::expected>, ExpectedMembers>("expected"),
    optional_array<in_delta<Document, &StatusDelta::job_sizes>, job_size_fields>("expected_by_job"),
    json_field<in_delta<Document, &StatusDelta::expected_source>, OptionalText<600>>("expected_source"),
    optional_array<in_delta<Document, &StatusDelta::causes>, cause_fields>("causes"),
    array_field<in_delta<Document, &StatusDelta::changed>, whole_member_fields>("changed"),
    array_field<in_delta<Document, &StatusDelta::notices>, notice_fields>("notices"),
    array_field<in_delta<Document, &StatusDelta::gone>, gone_fields>("gone"),
    required(json_field<&Document::age, AgeMilliseconds>("age_ms")));
// clang-format on

constexpr JsonForm<StatusDocument> status_body_form = json_form<status_body_fields<StatusDocument>, settle_status>("the service's status");
constexpr JsonForm<MembersDocument> members_event_form =
    json_form<members_event_fields<MembersDocument>, settle_delta>("the service's event members");

}  // namespace

std::string render_status_body(const Position& position, std::uint64_t generation, const ClusterStatus& status, Age age) {
  using Sent = BasicStatusDocument<const ClusterStatus*>;
  return to_json(status_body_fields<Sent>, Sent(position, generation, &status, age));
}

std::string render_members_event(std::uint64_t generation, const StatusDelta& delta, std::chrono::milliseconds age) {
  using Sent = BasicMembersDocument<const StatusDelta*>;
  return to_json(members_event_fields<Sent>, Sent(generation, &delta, age));
}

Result<StatusDocument> parse_status_body(std::string_view json, const ParseLimits& limits) {
  return read_json(status_body_form, json, limits);
}

Result<MembersDocument> parse_members_event(std::string_view json, const ParseLimits& limits) {
  Result<MembersDocument> document = read_json(members_event_form, json, limits);
  if (!document) return document;
  std::set<GonePlace> places;
  for (const Member& member : document->delta.changed) places.emplace(member.job, member.index);
  for (const GonePlace& gone : document->delta.gone) {
    if (!places.insert(gone).second) return malformed_document(members_event_form.name, twice_there(gone.first, gone.second));
  }
  return document;
}

}  // namespace rollcall::fleet
