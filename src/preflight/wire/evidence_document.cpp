// The evidence of a preflight as a JSON document.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "preflight/wire/evidence_fields.hpp"
#include "preflight/wire/preflight_documents.hpp"
#include "rollcall/preflight_evidence.hpp"

namespace rollcall {
namespace {

constexpr std::string_view evidence_format = "rollcall preflight 1";

std::string check_format(PreflightEvidence&, std::string_view text) {
  return text == evidence_format ? std::string() : fmt::format("is {}, not '{}'", quoted(text, 64), evidence_format);
}
void write_format(std::string& out, const PreflightEvidence&) { append_json_string(out, evidence_format); }

// clang-format off
constexpr auto evidence_fields = json_object<PreflightEvidence>(
    required(text_field<&check_format>("format")),
    written_field<&write_format>("format"),  // the row before reads it
    json_field<&PreflightEvidence::run, ShortOrNone>("run"),
    json_field<&PreflightEvidence::judged_by, MemberPlaceOrNone>("judged_by"),
    json_field<&PreflightEvidence::authenticated, YesOrNo>("authenticated"),
    json_field<&PreflightEvidence::took, AgeMilliseconds>("took_ms"),
    json_field<&PreflightEvidence::probes_each, ProbesEach>("probes_each"),
    json_field<&PreflightEvidence::has_bandwidth, YesIfTrue>("bandwidth"),
    array_field<&PreflightEvidence::members, evidence_member_fields>("members"));
// clang-format on

// Each task is one member.
std::string check_evidence(PreflightEvidence& evidence) {
  const std::size_t count = evidence.members.size();
  if (count == 0) return "has no members";
  if (count > PreflightEvidence::max_members) return fmt::format("has more than {} members", PreflightEvidence::max_members);
  if (evidence.judged_by >= static_cast<int>(count))
    return fmt::format("judged_by is {}, no place among {} members", evidence.judged_by, count);
  std::set<std::pair<std::string_view, int>> tasks;
  for (const EvidenceMember& member : evidence.members) {
    const std::string name = fmt::format("{}:{}", printable(member.job, 64), member.index);
    if (!tasks.emplace(member.job, member.index).second) return fmt::format("has {} twice", name);
    if (const std::string fault = preflight::member_fault(member, count); !fault.empty()) return fmt::format("{} of {}", fault, name);
  }
  return {};
}

constexpr JsonForm<PreflightEvidence> evidence_form = json_form<evidence_fields, check_evidence>("the evidence of a preflight");

}  // namespace

std::string preflight::member_fault(const EvidenceMember& member, std::size_t members) {
  constexpr std::size_t max_listed = 4096;
  const auto is_place = [members](int place) { return place < static_cast<int>(members); };
  if (std::max({member.details.size(), member.facts.size(), member.packages.size(), member.clocks.size(), member.measures.size(),
                member.sent.size(), member.claims.size(), member.findings.size(), member.unknown.size()}) > max_listed)
    return "a list is too long";
  for (const ProbeDetail& detail : member.details) {
    if (!is_place(detail.to) || !is_place(detail.answered_by)) return "a detail names no member: that";
  }
  for (const ClockReading& clock : member.clocks) {
    if (!is_place(clock.against)) return "a clock is compared with no member: that";
  }
  for (const BandwidthMeasure& measure : member.measures) {
    if (!is_place(measure.from)) return "a measure names no member: that";
  }
  for (const SentFlow& flow : member.sent) {
    if (!is_place(flow.to)) return "a flow goes to no member: that";
  }
  if (member.row.empty()) return {};
  const auto row = ProbeRow::read(member.row, members);
  return row ? std::string() : row.error().what();
}

std::string_view to_string(EvidenceState state) noexcept {
  constexpr std::array<std::string_view, 3> words = {"absent", "joined", "reported"};
  return words[static_cast<std::size_t>(state)];
}

std::string PreflightEvidence::to_json() const { return rollcall::to_json(evidence_fields, *this); }

Result<PreflightEvidence> PreflightEvidence::from_json(std::string_view json) { return read_json(evidence_form, json, ParseLimits()); }

}  // namespace rollcall
