// The evidence of a preflight as a JSON document.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "json/json_fields.hpp"
#include "json/json_values.hpp"
#include "render/preflight_fields.hpp"
#include "rollcall/preflight_evidence.hpp"

namespace rollcall {
namespace {

constexpr std::string_view evidence_format = "rollcall preflight 1";
constexpr std::int64_t max_clock_us = std::int64_t{1} << 50;

using Place = NumberUpTo<PreflightEvidence::max_members - 1, "no place in the list of members">;
using PacketSize = NumberUpTo<(1 << 20), "no size of a packet">;
using Microseconds = NumberUpTo<max_clock_us, "no time in microseconds">;
using ProbesEach = NumberUpTo<PreflightEvidence::max_members, "no number of probes">;
using ShortText = PrintableText<256>;
using ShortOrNone = OptionalText<256>;

class PlaceOrNone : public Place {
 public:
  static bool write(std::string& out, int place) { return place >= 0 && append_json_number(out, place); }
};
class SignedMicroseconds : public Microseconds {
 public:
  static std::string read(std::int64_t& slot, std::int64_t number) {
    if (number < -max_clock_us || number > max_clock_us) return fmt::format("is {}, no time in microseconds", number);
    slot = number;
    return {};
  }
};
class PacketSizeOrNone : public PacketSize {
 public:
  static bool write(std::string& out, int bytes) { return bytes > 0 && append_json_number(out, bytes); }
};
using StateOfMember = WordOf<EvidenceState, 3, "state of a member of a preflight">;
class YesOrNo : public JsonText {
 public:
  static std::string read(bool& slot, std::string_view word) {
    slot = word == "yes";
    return slot || word == "no" ? std::string() : fmt::format("is {}, neither yes nor no", quoted(word, 64));
  }
  static bool write(std::string& out, bool value) { return JsonText::write(out, value ? "yes" : "no"); }
};

std::string check_format(PreflightEvidence&, std::string_view text) {
  return text == evidence_format ? std::string() : fmt::format("is {}, not '{}'", quoted(text, 64), evidence_format);
}
void write_format(std::string& out, const PreflightEvidence&) { append_json_string(out, evidence_format); }

// clang-format off
constexpr auto probe_detail_fields = json_object<ProbeDetail>(
    json_field<&ProbeDetail::to, Place>("to"),
    json_field<&ProbeDetail::large_bytes, PacketSizeOrNone>("large_bytes"),
    json_field<&ProbeDetail::answered_by, PlaceOrNone>("answered_by"),
    json_field<&ProbeDetail::address, ShortOrNone>("address"));
constexpr auto fact_fields = json_object<HostFact>(
    json_field<&HostFact::name, ShortText>("name"),
    json_field<&HostFact::value, PrintableText<1024>>("value"),
    json_field<&HostFact::severity, SeverityWord>("severity"));
constexpr auto clock_fields = json_object<ClockReading>(
    json_field<&ClockReading::against, Place>("against"),
    json_field<&ClockReading::ahead_us, SignedMicroseconds>("ahead_us"),
    json_field<&ClockReading::round_trip_us, Microseconds>("round_trip_us"));
constexpr auto claim_fields = json_object<IdentityClaim>(
    json_field<&IdentityClaim::from, ShortText>("from"),
    json_field<&IdentityClaim::why, ShortText>("why"),
    json_field<&IdentityClaim::text, ShortOrNone>("text"));
constexpr auto member_fields = json_object<EvidenceMember>(
    json_field<&EvidenceMember::job, ShortText>("job"),
    json_field<&EvidenceMember::index, NumberUpTo<std::numeric_limits<int>::max(), "no index of a task">>("index"),
    json_field<&EvidenceMember::address, ShortText>("address"),
    json_field<&EvidenceMember::block, ShortOrNone>("block"),
    json_field<&EvidenceMember::state, StateOfMember>("state"),
    json_field<&EvidenceMember::host, ShortOrNone>("host"),
    json_field<&EvidenceMember::boot_id, ShortOrNone>("boot_id"),
    json_field<&EvidenceMember::from, ShortOrNone>("from"),
    json_field<&EvidenceMember::row, OptionalText<PreflightEvidence::max_members>>("row"),
    optional_array<&EvidenceMember::details, probe_detail_fields>("details"),
    optional_array<&EvidenceMember::facts, fact_fields>("facts"),
    optional_array<&EvidenceMember::clocks, clock_fields>("clocks"),
    optional_array<&EvidenceMember::claims, claim_fields>("claims"),
    optional_array<&EvidenceMember::findings, finding_fields>("findings"));
constexpr auto evidence_fields = json_object<PreflightEvidence>(
    required(text_field<&check_format>("format")),
    written_field<&write_format>("format"),  // the row before reads it
    json_field<&PreflightEvidence::run, ShortOrNone>("run"),
    json_field<&PreflightEvidence::judged_by, PlaceOrNone>("judged_by"),
    json_field<&PreflightEvidence::authenticated, YesOrNo>("authenticated"),
    json_field<&PreflightEvidence::took, AgeMilliseconds>("took_ms"),
    json_field<&PreflightEvidence::probes_each, ProbesEach>("probes_each"),
    array_field<&PreflightEvidence::members, member_fields>("members"));
// clang-format on

// What refers to members must refer to those of the list, and each task is one member.
std::string check_evidence(PreflightEvidence& evidence) {
  const std::size_t count = evidence.members.size();
  if (count == 0) return "has no members";
  if (count > PreflightEvidence::max_members) return fmt::format("has more than {} members", PreflightEvidence::max_members);
  const auto is_place = [count](int place) { return place < static_cast<int>(count); };
  if (!is_place(evidence.judged_by)) return fmt::format("judged_by is {}, no place among {} members", evidence.judged_by, count);
  std::set<std::pair<std::string_view, int>> tasks;
  for (const EvidenceMember& member : evidence.members) {
    const std::string name = fmt::format("{}:{}", printable(member.job, 64), member.index);
    if (!tasks.emplace(member.job, member.index).second) return fmt::format("has {} twice", name);
    for (const ProbeDetail& detail : member.details) {
      if (!is_place(detail.to) || !is_place(detail.answered_by)) return fmt::format("a detail of {} names no member", name);
    }
    for (const ClockReading& clock : member.clocks) {
      if (!is_place(clock.against)) return fmt::format("a clock of {} is compared with no member", name);
    }
    if (member.row.empty()) continue;
    const auto row = ProbeRow::read(member.row, count);
    if (!row) return fmt::format("{} of {}", row.error().what(), name);
  }
  return {};
}

constexpr JsonForm<PreflightEvidence> evidence_form = json_form<evidence_fields, check_evidence>("the evidence of a preflight");

}  // namespace

std::string_view to_string(EvidenceState state) noexcept {
  constexpr std::array<std::string_view, 3> words = {"absent", "joined", "reported"};
  return words[static_cast<std::size_t>(state)];
}

std::string PreflightEvidence::to_json() const { return rollcall::to_json(evidence_fields, *this); }

Result<PreflightEvidence> PreflightEvidence::from_json(std::string_view json) { return read_json(evidence_form, json, ParseLimits()); }

}  // namespace rollcall
