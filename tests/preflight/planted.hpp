// A cluster with planted faults, as evidence for the judge.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/preflight_evidence.hpp"

namespace rollcall::testing {

class Planted {
 public:
  explicit Planted(std::size_t members) : rows(members, std::vector<ProbeResult>(members, ProbeResult::ok)) {
    for (std::size_t i = 0; i < members; ++i) {
      EvidenceMember member;
      member.job = "worker";
      member.index = static_cast<int>(i);
      member.host = fmt::format("n{}", i);
      member.address = fmt::format("10.0.{}.{}:29500", i / 200, i % 200 + 1);
      member.from = fmt::format("10.0.{}.{}", i / 200, i % 200 + 1);
      member.state = EvidenceState::reported;
      evidence.members.push_back(std::move(member));
      rows[i][i] = ProbeResult::untested;
    }
    evidence.judged_by = 0;
    evidence.run = "r";
  }

  Planted& way(std::size_t from, std::size_t to, ProbeResult result) {
    if (from != to) rows[from][to] = result;
    return *this;
  }
  Planted& into(std::size_t host, ProbeResult result) {
    for (std::size_t i = 0; i < rows.size(); ++i) way(i, host, result);
    return *this;
  }
  Planted& out_of(std::size_t host, ProbeResult result) {
    for (std::size_t i = 0; i < rows.size(); ++i) way(host, i, result);
    return *this;
  }
  /// Never came, and the others saw that of it.
  Planted& absent(std::size_t host, ProbeResult seen) {
    evidence.members[host].state = EvidenceState::absent;
    evidence.members[host].host.clear();
    return into(host, seen);
  }
  Planted& between(std::pair<std::size_t, std::size_t> some, std::pair<std::size_t, std::size_t> others, ProbeResult result) {
    for (std::size_t a = some.first; a < some.second; ++a) {
      for (std::size_t b = others.first; b < others.second; ++b) way(a, b, result).way(b, a, result);
    }
    return *this;
  }
  Planted& fact(std::size_t host, std::string name, std::string value, FindingSeverity if_odd = FindingSeverity::warning) {
    evidence.members[host].facts.emplace_back(std::move(name), std::move(value), if_odd);
    return *this;
  }
  Planted& detail(std::size_t from, std::size_t to, int large_bytes, std::string address = {}, int answered_by = -1) {
    ProbeDetail& detail = evidence.members[from].details.emplace_back();
    detail.to = static_cast<int>(to);
    detail.large_bytes = large_bytes;
    detail.address = std::move(address);
    detail.answered_by = answered_by;
    return *this;
  }

  const PreflightEvidence& written() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool has_row = evidence.members[i].state == EvidenceState::reported;
      evidence.members[i].row = has_row ? ProbeRow::write(rows[i]) : "";
    }
    return evidence;
  }
  PreflightVerdict judged() { return judge_preflight(written()); }

  PreflightEvidence evidence;
  std::vector<std::vector<ProbeResult>> rows;
};

/// A line for each finding: `failure host reach [17] in: worker 17 (n17) is not …`
inline std::string lines_of(const PreflightVerdict& verdict) {
  std::string lines;
  for (const Finding& finding : verdict.findings) {
    std::string members;
    for (const FindingMember& member : finding.members) members += fmt::format("{}{}", members.empty() ? "" : ",", member.index);
    lines += fmt::format("{} {} {} [{}]{}{}: {}\n", to_string(finding.severity), to_string(finding.scope), finding.check, members,
                         finding.direction.empty() ? "" : " ", finding.direction, finding.text);
  }
  for (const PreflightUnknown& unknown : verdict.unknown) {
    std::string members;
    for (const FindingMember& member : unknown.members) members += fmt::format("{}{}", members.empty() ? "" : ",", member.index);
    lines += fmt::format("unknown {} [{}]: {}\n", unknown.check, members, unknown.why);
  }
  return lines;
}

}  // namespace rollcall::testing
