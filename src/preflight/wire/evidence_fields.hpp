// What a member says of a preflight, as JSON: the tables by which it is written and read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/text.hpp"
#include "json/json_fields.hpp"
#include "json/json_values.hpp"
#include "render/preflight_fields.hpp"
#include "rollcall/preflight_evidence.hpp"

namespace rollcall {

inline constexpr std::int64_t max_clock_us = std::int64_t{1} << 52;
using MemberPlace = NumberUpTo<PreflightEvidence::max_members - 1, "no place in the list of members">;
using PacketSize = NumberUpTo<(1 << 20), "no size of a packet">;
using Microseconds = NumberUpTo<max_clock_us, "no time in microseconds">;
using ProbesEach = NumberUpTo<PreflightEvidence::max_members, "no number of probes">;
using BytesPerSecond = NumberUpTo<(std::int64_t{1} << 50), "no number of bytes">;
using OrderNumber = NumberUpTo<1000, "no number of an order">;
using ShortText = PrintableText<256>;
using ShortOrNone = OptionalText<256>;

class MemberPlaceOrNone : public MemberPlace {
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

/// `no`; left out where it is true.
class NoIfFalse : public YesOrNo {
 public:
  static bool write(std::string& out, bool value) { return !value && YesOrNo::write(out, value); }
};

/// `yes`; left out where it is false.
class YesIfTrue : public YesOrNo {
 public:
  static bool write(std::string& out, bool value) { return value && YesOrNo::write(out, value); }
};

// clang-format off
inline constexpr auto probe_detail_fields = json_object<ProbeDetail>(
    json_field<&ProbeDetail::to, MemberPlace>("to"),
    json_field<&ProbeDetail::large_bytes, PacketSizeOrNone>("large_bytes"),
    json_field<&ProbeDetail::answered_by, MemberPlaceOrNone>("answered_by"),
    json_field<&ProbeDetail::address, ShortOrNone>("address"));
inline constexpr auto evidence_fact_fields = json_object<EvidenceFact>(
    json_field<&EvidenceFact::name, ShortText>("name"),
    json_field<&EvidenceFact::value, PrintableText<1024>>("value"),
    json_field<&EvidenceFact::severity, SeverityWord>("severity"));
inline constexpr auto clock_reading_fields = json_object<ClockReading>(
    json_field<&ClockReading::against, MemberPlace>("against"),
    json_field<&ClockReading::ahead_us, SignedMicroseconds>("ahead_us"),
    json_field<&ClockReading::round_trip_us, Microseconds>("round_trip_us"));
inline constexpr auto bandwidth_measure_fields = json_object<BandwidthMeasure>(
    json_field<&BandwidthMeasure::from, MemberPlace>("from"),
    json_field<&BandwidthMeasure::order, OrderNumber>("order"),
    json_field<&BandwidthMeasure::bytes_per_second, BytesPerSecond>("bytes_per_second"));
inline constexpr auto sent_flow_fields = json_object<SentFlow>(
    json_field<&SentFlow::to, MemberPlace>("to"),
    json_field<&SentFlow::order, OrderNumber>("order"),
    json_field<&SentFlow::bytes_per_second, BytesPerSecond>("bytes_per_second"),
    json_field<&SentFlow::is_of_network, NoIfFalse>("of_network"));
inline constexpr auto identity_claim_fields = json_object<IdentityClaim>(
    json_field<&IdentityClaim::from, ShortText>("from"),
    json_field<&IdentityClaim::why, ShortText>("why"),
    json_field<&IdentityClaim::text, ShortOrNone>("text"));
inline constexpr auto evidence_member_fields = json_object<EvidenceMember>(
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
    optional_array<&EvidenceMember::facts, evidence_fact_fields>("facts"),
    optional_texts<&EvidenceMember::packages>("packages"),
    optional_array<&EvidenceMember::clocks, clock_reading_fields>("clocks"),
    optional_array<&EvidenceMember::measures, bandwidth_measure_fields>("measures"),
    optional_array<&EvidenceMember::sent, sent_flow_fields>("sent"),
    optional_array<&EvidenceMember::claims, identity_claim_fields>("claims"),
    optional_array<&EvidenceMember::findings, finding_fields>("findings"),
    optional_array<&EvidenceMember::unknown, preflight_unknown_fields>("unknown"),
    json_field<&EvidenceMember::is_host_known, NoIfFalse>("host_known"));
// clang-format on

}  // namespace rollcall
