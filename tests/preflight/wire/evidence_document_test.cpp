// The evidence of a preflight as a document, and rows of results as text.
#include <catch2/catch.hpp>

#include <random>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Matchers::Contains;

namespace {

TEST_CASE("rows of results are short texts, and are read back") {
  std::vector<ProbeResult> row(64, ProbeResult::ok);
  CHECK(ProbeRow::write(row) == "64o");
  row[3] = ProbeResult::untested;
  row[10] = row[11] = ProbeResult::timed_out;
  CHECK(ProbeRow::write(row) == "3o.6ott52o");
  std::mt19937 dice(1);
  for (int round = 0; round < 200; ++round) {
    for (ProbeResult& result : row) {
      if (dice() % 3 == 0) result = static_cast<ProbeResult>(dice() % 14);
    }
    const std::string text = ProbeRow::write(row);
    CHECK(text.size() <= row.size());
    const Result<std::vector<ProbeResult>> again = ProbeRow::read(text, row.size());
    REQUIRE(again.has_value());
    CHECK(*again == row);
  }
}

TEST_CASE("rows that are none are refused") {
  for (const char* row : {"5o", "3o2o", "oooz", "oooo4", "0oooo", "99999999999999999999999o", "-4o", "4 o", "", "o"}) {
    INFO(row);
    CHECK_FALSE(ProbeRow::read(row, 4).has_value());
  }
}

Planted full_evidence() {
  Planted planted(3);
  planted.fact(0, "driver", "570", FindingSeverity::failure)
      .detail(1, 2, 1400)
      .detail(2, 0, 0, "10.9.9.9", 1)
      .way(1, 2, ProbeResult::large_out);
  planted.evidence.authenticated = true;
  planted.evidence.took = std::chrono::milliseconds(812);
  planted.evidence.probes_each = 2;
  EvidenceMember& member = planted.evidence.members[2];
  member.block = "rack-a";
  member.boot_id = "b-1";
  ClockReading& clock = member.clocks.emplace_back();
  clock.against = 1;
  clock.ahead_us = -420;
  clock.round_trip_us = 80;
  planted.evidence.has_bandwidth = true;
  BandwidthMeasure& measure = member.measures.emplace_back();
  measure.from = 1;
  measure.bytes_per_second = 23'400'000;
  measure.order = 3;
  SentFlow& flow = member.sent.emplace_back();
  flow.to = 1;
  flow.order = 4;
  flow.bytes_per_second = 24'000'000;
  flow.is_of_network = false;
  IdentityClaim& claim = member.claims.emplace_back();
  claim.from = "10.0.0.9";
  claim.why = "taken";
  Finding& finding = member.findings.emplace_back();
  finding.severity = FindingSeverity::warning;
  finding.check = "clock";
  finding.text = "is not synchronised";
  return planted;
}

TEST_CASE("evidence is read as it was written") {
  const PreflightEvidence evidence = full_evidence().written();
  const Result<PreflightEvidence> again = PreflightEvidence::from_json(evidence.to_json());
  REQUIRE(again.has_value());
  CHECK(*again == evidence);
  CHECK(judge_preflight(*again) == judge_preflight(evidence));
  CHECK(again->to_json() == evidence.to_json());
}

std::string fault_of(std::string_view from, std::string_view to) {
  std::string text = full_evidence().written().to_json();
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const Result<PreflightEvidence> read = PreflightEvidence::from_json(text);
  return read ? "" : read.error().what();
}

TEST_CASE("evidence that refers to members that are not there, or is no evidence, is refused with the place") {
  CHECK_THAT(fault_of("rollcall preflight 1", "rollcall preflight 2"),
             Contains("format is 'rollcall preflight 2', not 'rollcall preflight 1'"));
  CHECK_THAT(fault_of("\"format\"", "\"form\""), Contains("format is missing"));
  CHECK_THAT(fault_of("\"to\":2", "\"to\":3"), Contains("a detail names no member: that of worker:1"));
  CHECK_THAT(fault_of("\"to\":2", "\"to\":-1"), Contains("no place in the list of members"));
  CHECK_THAT(fault_of("\"against\":1", "\"against\":7"), Contains("a clock is compared with no member: that of worker:2"));
  CHECK_THAT(fault_of("{\"from\":1", "{\"from\":7"), Contains("a measure names no member: that of worker:2"));
  CHECK_THAT(fault_of("{\"to\":1,\"order\"", "{\"to\":7,\"order\""), Contains("a flow goes to no member: that of worker:2"));
  CHECK_THAT(fault_of("\"judged_by\":0", "\"judged_by\":3"), Contains("judged_by is 3, no place among 3 members"));
  CHECK_THAT(fault_of("\"index\":1", "\"index\":0"), Contains("has worker:0 twice"));
  CHECK_THAT(fault_of("\"row\":\"o.", "\"row\":\"oo."), Contains("a row of results has more than 3 results of worker:1"));
  CHECK_THAT(fault_of("\"state\":\"reported\"", "\"state\":\"dead\""), Contains("no state of a member of a preflight"));
  CHECK_FALSE(PreflightEvidence::from_json("").has_value());
  CHECK_FALSE(PreflightEvidence::from_json("[]").has_value());
  CHECK_FALSE(PreflightEvidence::from_json(R"({"format":"rollcall preflight 1","members":[]})").has_value());
}

TEST_CASE("evidence of more members than are judged is refused") {
  std::string text = R"({"format":"rollcall preflight 1","members":[)";
  for (std::size_t i = 0; i <= PreflightEvidence::max_members; ++i)
    text += fmt::format("{}{{\"job\":\"w\",\"index\":{}}}", i == 0 ? "" : ",", i);
  const Result<PreflightEvidence> read = PreflightEvidence::from_json(text + "]}");
  REQUIRE_FALSE(read.has_value());
  CHECK_THAT(read.error().what(), Contains("more than 10240 members"));
}

}  // namespace
