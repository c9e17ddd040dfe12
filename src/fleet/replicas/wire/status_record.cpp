// What is known of a target, as the store has it: head, members, spec. Status and failure are the documents that clients are told.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "fleet/replicas/wire/records.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"
#include "json/json_text.hpp"
#include "json/raw_json.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::string_view gone_record = R"({"gone":1})";
constexpr std::size_t most_history = 64;
constexpr std::size_t most_head_members = 1 << 20;

template <std::uint64_t HeadRecord::* Part>
std::string set_head_number(HeadRecord& head, std::int64_t number) {
  if (number < 0) return fmt::format("is {}, no number of a revision", number);
  head.*Part = static_cast<std::uint64_t>(number);
  return {};
}
template <bool HeadRecord::* Part>
std::string set_head_flag(HeadRecord& head, std::int64_t number) {
  head.*Part = number == 1;
  return {};
}
template <Age HeadRecord::* Part>
std::string set_head_age(HeadRecord& head, std::int64_t milliseconds) {
  return set_raw_age(head.*Part, milliseconds);
}
std::string set_head_target(HeadRecord& head, std::string_view text) {
  head.target = text;
  return {};
}
std::string set_head_source(HeadRecord& head, std::string_view text) {
  head.source = printable_line(text);
  return {};
}
std::string set_head_members(HeadRecord& head, std::int64_t number) {
  if (number < 0 || number > static_cast<std::int64_t>(most_head_members)) return fmt::format("is {}, no number of members", number);
  head.members = static_cast<std::size_t>(number);
  return {};
}
std::string set_head_trouble(HeadRecord& head, std::string_view text) {
  head.trouble = printable(text, 4096);
  return {};
}
std::string set_phase_at(PhaseRecord& change, std::int64_t milliseconds) {
  constexpr std::int64_t year_2200 = 7'258'118'400'000;
  if (milliseconds < 0 || milliseconds > year_2200) return fmt::format("is {}, no time", milliseconds);
  change.at_ms = milliseconds;
  return {};
}
std::string set_phase_word(PhaseRecord& change, std::string_view word) {
  const auto phase = value_named<ClusterPhase>(word, 0, 3);
  if (!phase) return fmt::format("is {}, no phase of a cluster", quoted(word, 64));
  change.phase = *phase;
  return {};
}
std::string set_phase_state(PhaseRecord& change, std::string_view text) {
  change.state = printable(text, 256);
  return {};
}
std::string set_phase_count(int& slot, std::int64_t number) {
  if (number < 0 || number > static_cast<std::int64_t>(most_head_members)) return fmt::format("is {}, no number of members", number);
  slot = static_cast<int>(number);
  return {};
}
std::string set_phase_ready(PhaseRecord& change, std::int64_t number) { return set_phase_count(change.ready, number); }
std::string set_phase_total(PhaseRecord& change, std::int64_t number) { return set_phase_count(change.total, number); }

// clang-format off
constexpr auto phase_record_fields = json_object<PhaseRecord>(
    integer_field<set_phase_at>("at_ms"),
    text_field<set_phase_word>("phase"),
    text_field<set_phase_state>("state"),
    integer_field<set_phase_ready>("ready"),
    integer_field<set_phase_total>("total"));
constexpr auto head_fields = json_object<HeadRecord>(
    text_field<set_head_target>("target"),
    text_field<set_head_source>("source"),
    integer_field<set_head_number<&HeadRecord::epoch>>("epoch"),
    integer_field<set_head_flag<&HeadRecord::is_followed>>("followed"),
    integer_field<set_head_number<&HeadRecord::generation>>("gen"),
    integer_field<set_head_number<&HeadRecord::revision>>("revision"),
    integer_field<set_head_number<&HeadRecord::spec_revision>>("spec_revision"),
    integer_field<set_head_flag<&HeadRecord::has_spec>>("has_spec"),
    integer_field<set_head_flag<&HeadRecord::is_spec_old>>("spec_old"),
    integer_field<set_head_age<&HeadRecord::spec_age>>("spec_age_ms"),
    integer_field<set_head_number<&HeadRecord::spec_generation>>("spec_gen"),
    integer_field<set_head_number<&HeadRecord::based_on>>("based_on"),
    integer_field<set_head_age<&HeadRecord::age>>("age_ms"),
    integer_field<set_head_number<&HeadRecord::as_of>>("as_of"),
    integer_field<set_head_members>("members"),
    text_field<set_head_trouble>("trouble"),
    array_field<&HeadRecord::history, phase_record_fields>("history"));
// clang-format on
constexpr JsonForm<HeadRecord> head_form = json_form<head_fields>("the store's status");

// A status as clients are told it, in which nothing stands that a record has elsewhere.
std::string bare_status(const ClusterStatus& status) { return render_status_body(Position("0", 0), 0, status); }

}  // namespace

std::string render_gone_record() { return std::string(gone_record); }
bool is_gone_record(std::string_view json) noexcept { return json == gone_record; }

std::string render_head(const HeadRecord& head) {
  std::string out = "{";
  const auto back = std::back_inserter(out);
  append_json_field(out, "target", head.target);
  append_json_field(out, "source", head.source);
  fmt::format_to(back, R"(,"epoch":{},"followed":{},"gen":{},"revision":{},"spec_revision":{},"has_spec":{},"based_on":{})", head.epoch,
                 head.is_followed ? 1 : 0, head.generation, head.revision, head.spec_revision, head.has_spec ? 1 : 0, head.based_on);
  fmt::format_to(back, R"(,"as_of":{},"members":{})", head.as_of, head.members);
  if (head.age) fmt::format_to(back, ",\"age_ms\":{}", head.age->count());
  if (head.is_spec_old) fmt::format_to(back, ",\"spec_old\":1,\"spec_gen\":{}", head.spec_generation);
  if (head.spec_age) fmt::format_to(back, ",\"spec_age_ms\":{}", head.spec_age->count());
  append_json_field(out, "trouble", head.trouble);
  if (head.status) out += ",\"status\":" + bare_status(*head.status);
  if (head.failure) out += ",\"failure\":" + render_failure_body(head.target, *head.failure);
  out += ",\"history\":[";
  for (const PhaseRecord& change : head.history) {
    if (out.back() != '[') out += ',';
    fmt::format_to(back, "{{\"at_ms\":{}", change.at_ms);
    append_json_field(out, "phase", to_string(change.phase));
    append_json_field(out, "state", change.state);
    fmt::format_to(back, ",\"ready\":{},\"total\":{}}}", change.ready, change.total);
  }
  return out + "]}";
}

Result<HeadRecord> parse_head(std::string_view json, const ParseLimits& limits) {
  Result<HeadRecord> head = read_json(head_form, json, limits);
  if (!head) return head;
  if (head->target.empty()) return malformed_document(head_form.name, "target is missing");
  if (head->history.size() > most_history) return malformed_document(head_form.name, "history is too long");
  if (const auto text = raw_json_member(json, "status")) {
    Result<StatusDocument> document = parse_status_body(*text, limits);
    if (!document) return document.error();
    if (!document->status.members.empty()) return malformed_document(head_form.name, "status has members");
    head->status = std::move(document->status);
  }
  if (const auto text = raw_json_member(json, "failure")) {
    Result<FailureDocument> document = parse_failure_body(*text, limits);
    if (!document) return document.error();
    head->failure = std::move(document->failure);
  }
  return head;
}

std::string render_chunk(const std::vector<Member>& members, std::size_t from, std::size_t to) {
  ClusterStatus part;
  part.members.assign(members.begin() + static_cast<std::ptrdiff_t>(from), members.begin() + static_cast<std::ptrdiff_t>(to));
  return bare_status(part);
}

Result<std::vector<Member>> parse_chunk(std::string_view json, const ParseLimits& limits) {
  Result<StatusDocument> document = parse_status_body(json, limits);
  if (!document) return document.error();
  if (document->status.members.size() > members_a_chunk)
    return malformed_document("the store's members", fmt::format("more than {} in a chunk", members_a_chunk));
  return std::move(document->status.members);
}

std::string render_spec_record(const Result<ClusterSpec>& spec) {
  if (spec) return render_spec_body(0, *spec);
  return "{\"failure\":" + render_failure_body({}, spec.error()) + "}";
}

Result<std::shared_ptr<const Result<ClusterSpec>>> parse_spec_record(std::string_view json, const ParseLimits& limits) {
  if (const auto text = raw_json_member(json, "failure")) {
    Result<FailureDocument> document = parse_failure_body(*text, limits);
    if (!document) return document.error();
    return std::make_shared<const Result<ClusterSpec>>(std::move(document->failure));
  }
  Result<SpecDocument> document = parse_spec_body(json, limits);
  if (!document) return document.error();
  return std::make_shared<const Result<ClusterSpec>>(std::move(document->spec));
}

}  // namespace rollcall::fleet
